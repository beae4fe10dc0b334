import { type AgentCore, PatchbayError } from 'patchbay-sdk';
import { v7 } from 'uuid';
import type { LedgerStore } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { abortRun, castVote, type Vote } from './decisions.ts';
import { loadRun, RunEngine, requestRun, type Wanted } from './engine.ts';
import type { RunState } from './state.ts';
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
}

/** The runs of a project, for whoever is its host. */
export class Runs {
  readonly #parts: RunsParts;

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** Writes down that a run is wanted. Gives its id. Throws RUN_REFUSED if it could never be carried out. */
  async request(wanted: Omit<Wanted, 'run_id'>): Promise<string> {
    refuseImpossible(wanted.template, this.#parts);
    const run_id = `run-${v7()}`;
    await requestRun(this.#parts.ledger, { ...wanted, run_id });
    return run_id;
  }

  /** Carries a run on until it has ended, or waits for somebody. */
  advance(run_id: string, signal?: AbortSignal): Promise<RunState> {
    return new RunEngine(run_id, this.#parts).advance(signal);
  }

  /** See `castVote`. */
  vote(run_id: string, vote: Vote): Promise<void> {
    return castVote(this.#parts, run_id, vote);
  }

  /** See `abortRun`. */
  async abort(run_id: string, by: string, reason: string): Promise<void> {
    await abortRun(this.#parts, run_id, { by, reason });
    const { state } = await loadRun(this.#parts.ledger, run_id);
    if (state !== undefined) await this.#parts.workshop.close(state);
  }

  /** Begins a run anew that was held, in the phase in which it was: a new run, which says what it resumes. */
  async release(run_id: string, by: string): Promise<string> {
    const { state } = await loadRun(this.#parts.ledger, run_id);
    if (state?.status !== 'held') {
      throw new PatchbayError('RUN_TRANSITION', `run ${run_id} is ${state?.status ?? 'pending'}, not held`, {
        run: run_id,
      });
    }
    const { template, goal, phase } = state;
    return this.request({ template, goal, by, resumes: run_id, ...(phase === '' ? {} : { from_phase: phase }) });
  }
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
