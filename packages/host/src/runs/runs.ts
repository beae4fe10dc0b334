import { type AgentCore, PatchbayError } from 'patchbay-sdk';
import { v7 } from 'uuid';
import { type BacklogItem, clearAdvisory } from '../day/backlog.ts';
import { alone, type Peers } from '../hosts/peers.ts';
import { isSettled, type LedgerStore } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import type { Approvers } from './approvers.ts';
import { abortRun, castVote, type Vote } from './decisions.ts';
import { RunEngine } from './engine.ts';
import type { Lacks } from './labels.ts';
import { loadRun, requestRun } from './load.ts';
import { type Rest, restOf } from './rest.ts';
import type { Wanted } from './started.ts';
import type { Carried, RunState } from './state.ts';
import type { Template } from './template/template.ts';
import type { Workshop } from './workshop.ts';

/** Who can play roles. */
export interface Casts {
  readonly cores: readonly AgentCore[];
  /** The core that plays a role of a template, by name. */
  readonly coreOf: (template: Template, role: string) => string;
}

/** What runs are carried out with. */
export interface RunsParts extends Casts {
  readonly ledger: LedgerStore;
  readonly emitter: Emitter;
  readonly workshop: Workshop;
  /** Those who may carry on runs too. @default nobody else does */
  readonly peers?: Peers;
  /** What this host lacks to play a role. @default nothing */
  readonly lacks?: Lacks;
  /** Who can prove who they are, as it is now. */
  readonly approvers: () => Approvers;
}

/** The runs of a project, for whoever is its host. */
export class Runs {
  readonly #parts: RunsParts;
  /** Those that this process carries on right now. */
  readonly #underWay = new Map<string, { readonly engine: RunEngine; readonly done: Promise<RunState> }>();

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /**
   * Writes down that a run is wanted. Gives its id, which is new unless one is given; a run of that id stays as it is. Throws
   * RUN_REFUSED if it could never be carried out.
   */
  async request({ run_id = `run-${v7()}`, ...wanted }: Omit<Wanted, 'run_id'> & { run_id?: string }): Promise<string> {
    refuseImpossible(wanted.template, this.#parts);
    await requestRun(this.#parts.ledger, { ...wanted, run_id });
    return run_id;
  }

  /**
   * Carries a run on until it has ended, waits for somebody, or other hosts must go on with it: see `rest`. One that is carried on here already is waited for. Throws
   * RUN_ELSEWHERE if another host does, or has taken it over.
   */
  advance(run_id: string, signal?: AbortSignal): Promise<RunState> {
    const known = this.#underWay.get(run_id);
    if (known !== undefined) return known.done;
    const engine = new RunEngine(run_id, this.#parts);
    const done = this.#carry(engine, run_id, signal).finally(() => this.#underWay.delete(run_id));
    this.#underWay.set(run_id, { engine, done });
    return done;
  }

  /** Whether a run can go on now, here, or when it can. */
  rest(state: RunState): Rest {
    return restOf(state, new Date(), this.#parts.lacks);
  }

  async #carry(engine: RunEngine, run_id: string, signal: AbortSignal | undefined): Promise<RunState> {
    const { peers = alone } = this.#parts;
    const claim = await peers.take('run', run_id);
    if (claim === undefined) throw elsewhere(run_id);
    let isTriedAgain = false;
    try {
      const either = signal === undefined ? claim.lost : AbortSignal.any([signal, claim.lost]);
      const state = await engine.advance(either, claim.lost);
      if (claim.lost.aborted && !isSettled(state.status)) throw elsewhere(run_id);
      return state;
    } catch (error) {
      const code = error instanceof PatchbayError ? error.code : undefined;
      // What was done and could not be written down is here: others would do it again.
      isTriedAgain = code === 'LEDGER_WRITE';
      throw code === 'HOST_FENCED' || claim.lost.aborted ? elsewhere(run_id, error) : error;
    } finally {
      if (!isTriedAgain) await claim.release();
    }
  }

  /** Lets go of what this host has open of a run that has ended, perhaps on another one. */
  async closeEnded(run_id: string): Promise<void> {
    const { row, state } = await loadRun(this.#parts.ledger, run_id);
    if (!isSettled(row.status) || state === undefined || this.#underWay.has(run_id)) return;
    await this.#parts.workshop.close(state);
  }

  /** See `castVote`. */
  vote(run_id: string, vote: Vote): Promise<void> {
    return castVote(this.#parts, run_id, vote);
  }

  /** See `clearAdvisory`. */
  clear(advisory_id: string, by: string, reason: string): Promise<BacklogItem> {
    return clearAdvisory(this.#parts, advisory_id, { by, reason });
  }

  /**
   * See `abortRun`. What is under way here has ended when it resolves. A held run has ended already: the one that would resume
   * it is ended in its place, before it begins. Gives the id of the run that was ended.
   */
  async abort(wanted: string, by: string, reason: string): Promise<string> {
    const { row } = await loadRun(this.#parts.ledger, wanted);
    const run_id = row.status === 'held' ? await this.release(wanted, by) : wanted;
    const underWay = this.#underWay.get(run_id);
    const isDone = (await underWay?.engine.abort({ by, reason })) ?? false;
    if (!isDone) await abortRun(this.#parts, run_id, { by, reason });
    // Whoever had it carried on hears what may be wrong with that; it closes what it has opened.
    if (underWay !== undefined) {
      await underWay.done.catch(() => {});
      return run_id;
    }
    const { state } = await loadRun(this.#parts.ledger, run_id);
    if (state !== undefined) await this.#parts.workshop.close(state);
    return run_id;
  }

  /**
   * Begins a run anew that was held, in the phase in which it was: a new run, which says what it resumes and takes over its
   * decisions, documents and open objections, but for those that whoever releases it overrules. Throws RUN_TRANSITION if it is
   * not held or is resumed already, RUN_REFUSED if no such objection is open.
   */
  async release(run_id: string, by: string, overruled: readonly string[] = []): Promise<string> {
    const { state } = await loadRun(this.#parts.ledger, run_id);
    if (state?.status !== 'held') {
      throw new PatchbayError('RUN_TRANSITION', `run ${run_id} is ${state?.status ?? 'pending'}, not held`, {
        run: run_id,
      });
    }
    const next = await this.#resumedBy(run_id);
    if (next !== undefined) {
      const hint = `Carry that one on: patchbay resume ${next}.`;
      throw new PatchbayError('RUN_TRANSITION', `run ${run_id} is resumed by ${next} already`, { run: run_id, hint });
    }
    const { template, goal, phase, inputs } = state;
    const carried = carriedFrom(state, overruled);
    const how = { ...(phase === '' ? {} : { from_phase: phase }), ...(overruled.length === 0 ? {} : { overruled }) };
    return this.request({ template, goal, by, resumes: run_id, inputs, carried, ...how });
  }

  /** The run that goes on with a held one, or has. One that was aborted does not count. */
  async #resumedBy(run_id: string): Promise<string | undefined> {
    for await (const row of this.#parts.ledger.runs({ newestFirst: true })) {
      if (row.request?.['resumes'] === run_id && row.status !== 'aborted') return row.run_id;
    }
    return undefined;
  }
}

function elsewhere(run_id: string, cause?: unknown): PatchbayError {
  return new PatchbayError('RUN_ELSEWHERE', `run ${run_id} is carried on by another host`, { run: run_id, cause });
}

function carriedFrom(state: RunState, overruled: readonly string[]): Carried {
  const { run_id, decisions, objections, files, documents, reason } = state;
  const open = objections.filter((objection) => objection.open);
  const unknown = overruled.filter((id) => !open.some((objection) => objection.id === id));
  if (unknown.length > 0) {
    const hint = open.length === 0 ? 'None is open.' : `Open are ${open.map(({ id }) => id).join(', ')}.`;
    const message = `run ${run_id} has no open objection ${unknown.join(', ')}`;
    throw new PatchbayError('RUN_REFUSED', message, { run: run_id, hint });
  }
  return {
    decisions,
    objections: open.filter(({ id }) => !overruled.includes(id)),
    files,
    documents,
    held_for: reason,
  };
}

/** A role whose core cannot live up to what a gate of its phase demands would only be held there. */
function refuseImpossible(template: Template, { cores, coreOf }: Casts): void {
  for (const { steps, gate } of template.phases) {
    const demands = template.gates[gate]?.checks.map(({ kind }) => kind) ?? [];
    for (const { role } of steps.flat()) {
      const name = coreOf(template, role);
      const core = cores.find((one) => one.name === name);
      if (core === undefined) {
        const known = cores.map((one) => one.name).join(', ');
        const hint =
          name === 'default'
            ? 'Say in patchbay.yaml under "runs" which core plays roles: core: script, with: { command: […] }.'
            : `Known are ${known}.`;
        throw new PatchbayError(
          'RUN_REFUSED',
          `role "${role}" of template "${template.name}" has no agent core "${name}"`,
          { hint },
        );
      }
      const lacks = core.honours === undefined ? [] : demands.filter((kind) => !core.honours?.includes(kind));
      if (lacks.length > 0) {
        throw new PatchbayError(
          'RUN_REFUSED',
          `gate "${gate}" demands ${lacks.join(', ')}, which core "${name}" of role "${role}" cannot honour`,
        );
      }
    }
  }
}
