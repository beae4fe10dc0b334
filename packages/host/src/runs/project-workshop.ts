import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentCore, messageOf, PatchbayError, type TurnCost } from 'patchbay-sdk';
import type { Artifacts } from '../artifacts/index.ts';
import type { Casting, RunSettings } from '../config/project.ts';
import { stateDir } from '../config/state.ts';
import { writeDayFiles } from '../day/files.ts';
import { socketName } from '../services/turn-tools.ts';
import {
  closeTurnWorkspace,
  closeWorkspace,
  commitTurn,
  mergeTurn,
  observe,
  openPlain,
  openTurnWorkspace,
  openWorkspace,
  outside,
  patch,
  restore,
  type Snapshot,
  verify,
  type Workspace,
} from '../workspaces/index.ts';
import { bundleOf } from './bundle.ts';
import { Bundles } from './bundles.ts';
import { castingOf, isParallel, roleOf, stepOf } from './casting.ts';
import { chatIn, workspacesFolder } from './chat-run.ts';
import { guarded } from './confinement.ts';
import { free, most } from './cost.ts';
import { SharedWork } from './shared-work.ts';
import type { RunState, Turn } from './state.ts';
import type { Role } from './template/template.ts';
import { type Tools, TurnDesk } from './turn-desk.ts';
import { failed, unended } from './turn-end.ts';
import { TurnFiles } from './turn-files.ts';
import { checkedCost, claimedCost, protocolErrors, readResult, verdictErrors } from './validate.ts';
import type { Plan, TurnEnd, Workshop } from './workshop.ts';

/** How often it is tried to close what may be in use for a moment. */
const mostCloses = 5;

type Spent = (cost: TurnCost) => void;

/** What the turns of a project are worked on with. */
export interface WorkshopParts extends Tools {
  /** The cores there are. */
  readonly cores: readonly AgentCore[];
  readonly settings: RunSettings;
  /** Looks whether the plugins of the project are still what they were: somebody may have touched them. */
  readonly recheck?: () => Promise<void>;
  /** How other hosts get the work of runs. @default there are none */
  readonly artifacts?: Artifacts;
}

/** How long a core that was stopped has to end; by then its processes were killed. */
const graceMs = 15_000;

/**
 * Works on turns in the project: a worktree where it is a repository, the folder itself where not. Those that answer messages work
 * in the folder of their workspace.
 */
export class ProjectWorkshop implements Workshop {
  readonly #parts: WorkshopParts;
  readonly #files: TurnFiles;
  readonly #bundles: Bundles;
  /** Undefined where no other host works on the same runs. */
  readonly #shared: SharedWork | undefined;
  /** By run: the last thing that nothing else may be done beside, such as opening its workspace. */
  readonly #alone = new Map<string, Promise<unknown>>();

  constructor(parts: WorkshopParts) {
    this.#parts = parts;
    this.#files = new TurnFiles(stateDir(parts.project));
    const { artifacts, project } = parts;
    this.#bundles = new Bundles(artifacts?.store);
    this.#shared = artifacts === undefined ? undefined : new SharedWork(artifacts, project, this.#files);
  }

  async prepare(plan: Plan) {
    const { state, role, turn_id, attempt, reviews } = plan;
    await this.#giveUp(state, turn_id, attempt - 1);
    const dir = this.#files.dir(state, { turn_id, attempt });
    const diff = reviews === null ? null : await this.#patchOf(state, reviews);
    const content = bundleOf(plan, diff, this.#parts.chatOf?.(state));
    const { path, files, sha256 } = await this.#bundles.seal(state.run_id, dir, content);
    return { adapter: this.#casting(roleOf(state, role)).core, bundle: { path, files: [...files], sha256 } };
  }

  async work(state: RunState, turn: Turn, signal: AbortSignal, spent: Spent): Promise<TurnEnd> {
    const ws = await this.#workspace(state, turn);
    const act = () => this.#unlessStopped(signal, () => this.#workIn(ws, state, turn, signal, spent));
    // A folder cannot be had twice: what one changes there would be blamed on the other.
    const end = await (ws.repository === null && isParallel(state, turn) ? this.#inTurn(state, act) : act());
    return this.#handedIn(state, turn, ws, this.#charged(state, turn, end));
  }

  /** What other hosts go on with is stored before anybody hears of it. What cannot be stored is no good. */
  async #handedIn(state: RunState, turn: Turn, ws: Workspace, end: TurnEnd): Promise<TurnEnd> {
    const shared = this.#shared;
    const isWork = turn.reviews === null && ws.repository !== null && end.error?.code !== 'STOPPED';
    if (shared === undefined || !isWork) return end;
    const file = join(this.#files.dir(state, turn), 'result.json');
    const result = end.result === null ? null : readFileSync(file, 'utf8');
    try {
      await this.#inTurn(state, async () => {
        const run = await this.#openHere(state);
        await shared.handIn(state, { run, ws, turn }, result);
      });
      return end;
    } catch (error) {
      if (!(error instanceof PatchbayError && error.code === 'ARTIFACT_LARGE')) throw error;
      const cost = end.result?.cost ?? end.cost ?? free;
      return end.result === null ? end : { ...failed(error.code, [`${error.message}. ${error.hint}`]), cost };
    }
  }

  /** Whatever is left half done when a turn is stopped is of no interest; but somebody may have touched the plugins. */
  async #unlessStopped(signal: AbortSignal, act: () => Promise<TurnEnd>): Promise<TurnEnd> {
    const end = await act().catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (end !== undefined && !signal.aborted) return end;
    await this.#parts.recheck?.();
    return end?.result == null ? failed('STOPPED', ['the run was stopped']) : end;
  }

  /** With what it has cost: by what its core told, or its result, whichever is more. */
  #charged(state: RunState, turn: Turn, end: TurnEnd): TurnEnd {
    const claimed = end.result?.cost ?? claimedCost(join(this.#files.dir(state, turn), 'result.json'));
    const cost = most(this.#files.spent(state, turn), claimed);
    return end.result === null ? { ...end, cost } : { ...end, result: { ...end.result, cost } };
  }

  async #workIn(ws: Workspace, state: RunState, turn: Turn, signal: AbortSignal, spent: Spent): Promise<TurnEnd> {
    signal.throwIfAborted();
    const role = roleOf(state, turn.role);
    const dir = this.#files.dir(state, turn);
    const { bundle } = turn.dispatch;
    const path = await this.#bundles.find(state.run_id, bundle, dir);
    if (path === undefined) return failed('BUNDLE_CHANGED', [`the bundle ${bundle.path} is not what was dispatched`]);
    // A host that died may have left it; whoever works on the turn now has another one.
    rmSync(join(dir, socketName), { force: true });
    const before = await this.#files.before(state, turn, ws);
    const resultFile = join(dir, 'result.json');
    const found = readResult(resultFile, turn.dispatch, role.report);
    // Its core had finished when the host died: it is not asked again.
    const here = { ...turn, dispatch: { ...turn.dispatch, bundle: { ...bundle, path } } };
    const fault = 'code' in found ? await this.#play(state, here, role, ws, resultFile, signal, spent) : undefined;
    signal.throwIfAborted();
    return this.#judge(state, turn, role, ws, before, fault, signal);
  }

  keep(state: RunState, turn: Turn): Promise<readonly string[]> {
    return this.#inTurn(state, () => this.#keep(state, turn));
  }

  async #keep(state: RunState, turn: Turn): Promise<readonly string[]> {
    const run = await this.#runWorkspace(state);
    const ws = await workspaceIn(run, state, turn);
    const about = `Run: ${state.run_id}\nTurn: ${turn.turn_id}, attempt ${turn.attempt}`;
    const message = `${turn.result?.summary ?? turn.turn_id}\n\n${about}`;
    await commitTurn(ws, { message, author: { name: turn.role, email: `${turn.role}@patchbay.invalid` } });
    const merged = ws.root === run.root ? undefined : await mergeTurn(run, ws);
    if (run.repository !== null) await this.#shared?.settle(state, { run, turn });
    if (merged === undefined || merged.ok) return [];
    writeFileSync(this.#files.collided(state, turn), '');
    return merged.conflicts;
  }

  /** Where turns work in the project's own folder, not while one does: it would be blamed for it. */
  publish(state: RunState): Promise<void> {
    return this.#inTurn(state, async () => {
      const last = state.turns.at(-1);
      const problems = writeDayFiles(this.#parts.project, state);
      if (last !== undefined) for (const problem of problems) this.#parts.log?.(last, problem);
    });
  }

  folder(state: RunState): Promise<string> {
    return this.#inTurn(state, async () => (await this.#runWorkspace(state)).dir);
  }

  async close(state: RunState): Promise<void> {
    this.#files.forget(state);
    await this.#inTurn(state, async () => {
      await this.#closeHere(state);
      await this.#shared?.close(state);
    });
  }

  /** Another process in the project may close it at the same moment, as when it is aborted: they get into each other's way, but not for long. */
  async #closeHere(state: RunState): Promise<void> {
    for (let tries = 1; ; tries++) {
      // Unless nothing was ever opened, or it is closed already.
      const isOpen = plainIn(state) === undefined && existsSync(join(this.#files.run(state), 'git'));
      if (!isOpen) return;
      try {
        return await closeWorkspace(await this.#openHere(state), { keepBranch: true });
      } catch (error) {
        if (tries === mostCloses) throw error;
        await sleep(tries * (100 + Math.random() * 100));
      }
    }
  }

  /** With what other hosts did there. */
  async #runWorkspace(state: RunState): Promise<Workspace> {
    if (plainIn(state) === undefined) await this.#shared?.fetch(state);
    return this.#openHere(state);
  }

  async #openHere(state: RunState): Promise<Workspace> {
    const { run_id, resumes, builds_on } = state;
    const folder = plainIn(state);
    if (folder !== undefined) return openPlain({ project: this.#parts.project, folder, state: this.#files.run(state) });
    const branchOf = (run: string | null) => (run === null ? undefined : `patchbay/${run}`);
    // What was accepted before it was held is on the branch of the run that it goes on with.
    const places = { from: branchOf(resumes), ahead: branchOf(builds_on) };
    return openWorkspace({ project: this.#parts.project, run_id, state: this.#files.run(state), ...places });
  }

  #workspace(state: RunState, turn: Turn): Promise<Workspace> {
    return this.#inTurn(state, async () => workspaceIn(await this.#runWorkspace(state), state, turn));
  }

  /** In a run, one after the other. */
  #inTurn<T>({ run_id }: RunState, act: () => Promise<T>): Promise<T> {
    const done = (this.#alone.get(run_id) ?? Promise.resolve()).then(act);
    const last = done
      .catch(() => {})
      .then(() => {
        if (this.#alone.get(run_id) === last) this.#alone.delete(run_id);
      });
    this.#alone.set(run_id, last);
    return done;
  }

  /** Work that collided is given up: the next attempt begins with what the others did. */
  async #giveUp(state: RunState, turn_id: string, attempt: number): Promise<void> {
    if (attempt < 1 || !existsSync(this.#files.collided(state, { turn_id, attempt }))) return;
    await this.#inTurn(state, async () => {
      const run = await this.#runWorkspace(state);
      closeTurnWorkspace(run, await openTurnWorkspace(run, turn_id));
    });
    this.#files.beginAgain(state, turn_id);
  }

  async #patchOf(state: RunState, turn: Turn): Promise<string> {
    const ws = await this.#workspace(state, turn);
    return patch(ws, await this.#files.beforeAll(state, turn, ws));
  }

  #casting(role: Role): Casting {
    return castingOf(role, this.#parts.settings);
  }

  /** Has the core work on the turn; gives what went wrong. */
  async #play(
    state: RunState,
    turn: Turn,
    role: Role,
    ws: Workspace,
    result_file: string,
    signal: AbortSignal,
    spent: Spent,
  ): Promise<TurnEnd | undefined> {
    const casting = this.#casting(role);
    const core = this.#parts.cores.find(({ name }) => name === casting.core);
    if (core?.run === undefined) {
      const known = this.#parts.cores.map(({ name }) => name).join(', ');
      const how =
        casting.core === 'default' ? 'say in patchbay.yaml under "runs" which one it is' : `known are ${known}`;
      return failed('CORE_UNKNOWN', [`there is no agent core "${casting.core}" for role "${role.name}"; ${how}`]);
    }
    rmSync(result_file, { force: true, recursive: true });
    const late = AbortSignal.timeout(role.timeoutMs);
    const both = AbortSignal.any([signal, late]);
    const stopped = Promise.withResolvers<never>();
    both.addEventListener('abort', () => stopped.reject(new Error('was stopped')), { once: true });
    stopped.promise.catch(() => {});
    const dir = this.#files.dir(state, turn);
    const told: Spent = (cost) => spent(this.#files.spend(state, turn, checkedCost(cost)));
    const assignment = { state, turn, role, ws, dir, result_file, config: casting.with, signal: both, spent: told };
    let desk: TurnDesk | undefined;
    const running = (async () => {
      desk = new TurnDesk(this.#parts, assignment);
      await core.run?.(desk.work);
    })();
    try {
      await Promise.race([running, stopped.promise]);
      return undefined;
    } catch (error) {
      await Promise.race([running.catch(() => {}), sleep(graceMs, undefined, { ref: false })]);
      const { exit_code = null, signal: by = null } = desk?.ending ?? {};
      const fault = late.aborted
        ? failed('TIMEOUT', [`${role.name} took longer than ${role.timeoutMs / 1000} s`])
        : failed('CORE_FAILED', [messageOf(error)]);
      return { ...fault, exit_code, signal: by, timed_out: late.aborted };
    } finally {
      // What it started must be gone before its work is looked at, or done again.
      await desk?.close();
    }
  }

  /** The stages: result, assignment, write scope against what was seen to change, verification, protocol. */
  async #judge(
    state: RunState,
    turn: Turn,
    role: Role,
    ws: Workspace,
    before: Snapshot,
    fault: TurnEnd | undefined,
    signal: AbortSignal,
  ): Promise<TurnEnd> {
    const changes = await observe(ws, before);
    if (changes.some(({ special }) => special === 'protected')) await this.#parts.recheck?.();
    const beyond = outside(changes, turn.reviews === null ? role.writes : []);
    const stuck = beyond.length === 0 ? [] : await restore(ws, beyond, before);
    if (fault !== undefined) return fault;
    const result = readResult(join(this.#files.dir(state, turn), 'result.json'), turn.dispatch, role.report);
    if ('code' in result) return failed(result.code, result.errors);
    if (beyond.length > 0) {
      const told = beyond.map(({ path }) => `${path} was changed, which ${role.name} may not`);
      return failed('WRITE_SCOPE', [...told, ...stuck.map(({ path }) => `${path} could not be put back`)]);
    }
    const commands = turn.reviews === null ? stepOf(state, turn).verify : [];
    const checked = await verify(commands, {
      dir: ws.dir,
      launcher: this.#parts.launcher,
      env: {},
      timeoutMs: role.timeoutMs,
      signal,
      guard: guarded(ws),
      log: (text) => this.#parts.log?.(turn, text),
    });
    const { status, machine_evidence } = checked;
    if (status === 'fail') {
      const bad = checked.outputs.filter(({ exit_code }) => exit_code !== 0);
      const told = bad.map(({ command, exit_code, tail }) => `${command} exited with ${exit_code}: ${tail.trim()}`);
      return failed('VERIFICATION', told);
    }
    const isReview = turn.reviews !== null;
    const protocol = [
      ...protocolErrors(result, isReview, state.decisions),
      ...(isReview ? verdictErrors(result, role.report) : []),
    ];
    if (protocol.length > 0) return failed('PROTOCOL', protocol);
    const verification = { status, commands: [...commands], machine_evidence: [...machine_evidence] };
    const all = turn.attempt === 1 ? changes : await observe(ws, await this.#files.beforeAll(state, turn, ws));
    const foreign = new Set(outside(all, role.writes));
    const own = all.filter((change) => !foreign.has(change));
    // A file that was renamed is gone from where it was.
    const files_changed = own.flatMap(({ path, from }) => (from === null ? [path] : [from, path]));
    return { ...unended, error: null, result: { ...result, files_changed, verification } };
  }
}

/** The folder of the project that a run works in as it is; undefined if it has a workspace of its own. */
function plainIn({ inputs }: RunState): string | undefined {
  const chat = chatIn(inputs);
  return chat === undefined || chat.repo_access ? undefined : join(workspacesFolder, chat.workspace);
}

/** A turn that others work beside has a workspace of its own; reviewers look at that of the turn they judge. */
async function workspaceIn(run: Workspace, state: RunState, turn: Turn): Promise<Workspace> {
  return isParallel(state, turn) ? openTurnWorkspace(run, turn.reviews?.turn_id ?? turn.turn_id) : run;
}
