import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentCore, messageOf, PatchbayError, type TurnWork } from 'patchbay-sdk';
import type { Casting, RunSettings } from '../config/project.ts';
import { ledgerFile, stateDir } from '../config/state.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import {
  closeTurnWorkspace,
  closeWorkspace,
  commitTurn,
  mergeTurn,
  observe,
  openTurnWorkspace,
  openWorkspace,
  outside,
  patch,
  restore,
  type Snapshot,
  sealBundle,
  verify,
  verifyBundle,
  type Workspace,
} from '../workspaces/index.ts';
import { bundleOf } from './bundle.ts';
import type { RunState, Turn } from './state.ts';
import type { Role, Step } from './template/template.ts';
import { TurnFiles } from './turn-files.ts';
import { type Invalid, protocolErrors, readResult } from './validate.ts';
import type { Plan, TurnEnd, Workshop } from './workshop.ts';

type Ending = Pick<TurnEnd, 'exit_code' | 'signal' | 'timed_out'>;

/** What the turns of a project are worked on with. */
export interface WorkshopParts {
  readonly project: string;
  readonly launcher: Launcher;
  /** The cores there are. */
  readonly cores: readonly AgentCore[];
  readonly settings: RunSettings;
  /** The environment of which cores see what their settings name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hears how turns go. */
  readonly log?: (turn: Turn, line: string) => void;
}

const unended: Ending = { exit_code: null, signal: null, timed_out: false };
/** How long a core that was stopped has to end; by then its processes were killed. */
const graceMs = 15_000;
const base = ['PATH', 'HOME', 'LANG', 'TZ'];

/** Works on turns in the project: a worktree where it is a repository, the folder itself where not. */
export class ProjectWorkshop implements Workshop {
  readonly #parts: WorkshopParts;
  readonly #files: TurnFiles;
  /** By run: the last thing that nothing else may be done beside, such as opening its workspace. */
  readonly #alone = new Map<string, Promise<unknown>>();

  constructor(parts: WorkshopParts) {
    this.#parts = parts;
    this.#files = new TurnFiles(stateDir(parts.project));
  }

  async prepare(plan: Plan) {
    const { state, role, turn_id, attempt, reviews } = plan;
    await this.#giveUp(state, turn_id, attempt - 1);
    const dir = join(this.#files.dir(state, { turn_id, attempt }), 'bundle');
    const diff = reviews === null ? null : await this.#patchOf(state, reviews);
    const { path, files, sha256 } = sealBundle(dir, bundleOf(plan, diff));
    return { adapter: this.#casting(roleOf(state, role)).core, bundle: { path, files: [...files], sha256 } };
  }

  async work(state: RunState, turn: Turn, signal: AbortSignal): Promise<TurnEnd> {
    const ws = await this.#workspace(state, turn);
    if (ws.kind !== 'folder' || !isParallel(state, turn)) return this.#workIn(ws, state, turn, signal);
    // A folder cannot be had twice: what one changes there would be blamed on the other.
    return this.#inTurn(state, () => this.#workIn(ws, state, turn, signal));
  }

  async #workIn(ws: Workspace, state: RunState, turn: Turn, signal: AbortSignal): Promise<TurnEnd> {
    if (signal.aborted) return failed('STOPPED', ['the run was stopped']);
    const role = roleOf(state, turn.role);
    const dir = this.#files.dir(state, turn);
    const { path, files, sha256 } = turn.dispatch.bundle;
    if (!verifyBundle(path, { path, files, sha256 })) {
      return failed('BUNDLE_CHANGED', [`the bundle ${path} is not what was dispatched`]);
    }
    const before = await this.#files.before(state, turn, ws);
    const resultFile = join(dir, 'result.json');
    const found = readResult(resultFile, turn.dispatch);
    // Its core had finished when the host died: it is not asked again.
    const fault = 'code' in found ? await this.#play(state, turn, role, ws, resultFile, signal) : undefined;
    if (signal.aborted) return failed('STOPPED', ['the run was stopped']);
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
    if (ws.root === run.root) return [];
    const merged = await mergeTurn(run, ws);
    if (merged.ok) return [];
    writeFileSync(this.#files.collided(state, turn), '');
    return merged.conflicts;
  }

  async folder(state: RunState): Promise<string> {
    return (await this.#runWorkspace(state)).dir;
  }

  async close(state: RunState): Promise<void> {
    // Nothing was ever opened, or it is closed already.
    if (!existsSync(join(this.#files.run(state), 'git'))) return;
    await closeWorkspace(await this.#runWorkspace(state), { keepBranch: true });
  }

  #runWorkspace(state: RunState): Promise<Workspace> {
    const { run_id, resumes } = state;
    // What was accepted before it was held is on the branch of the run that it goes on with.
    const from = resumes === null ? undefined : `patchbay/${resumes}`;
    return openWorkspace({ project: this.#parts.project, run_id, state: this.#files.run(state), from });
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
  ): Promise<TurnEnd | undefined> {
    const casting = this.#casting(role);
    const core = this.#parts.cores.find(({ name }) => name === casting.core);
    if (core?.run === undefined) {
      const known = this.#parts.cores.map(({ name }) => name).join(', ');
      const how =
        casting.core === 'default' ? 'say in patchbay.yaml under "runs" which one it is' : `known are ${known}`;
      return failed('CORE_UNKNOWN', [`there is no agent core "${casting.core}" for role "${role.name}"; ${how}`]);
    }
    rmSync(result_file, { force: true });
    const late = AbortSignal.timeout(role.timeoutMs);
    const both = AbortSignal.any([signal, late]);
    const stopped = Promise.withResolvers<never>();
    both.addEventListener('abort', () => stopped.reject(new Error('was stopped')), { once: true });
    stopped.promise.catch(() => {});
    let ending = unended;
    const heard = (end: Ending) => {
      ending = end;
    };
    const work = this.#workFor(state, turn, role, ws, result_file, casting.with, both, heard);
    const running = (async () => core.run?.(work))();
    try {
      await Promise.race([running, stopped.promise]);
      return undefined;
    } catch (error) {
      // What it started must be gone before its work is looked at, or done again.
      await Promise.race([running.catch(() => {}), sleep(graceMs, undefined, { ref: false })]);
      if (late.aborted || ending.timed_out) {
        const message = `${role.name} took longer than ${role.timeoutMs / 1000} s`;
        return { ...failed('TIMEOUT', [message]), ...ending, timed_out: true };
      }
      return { ...failed('CORE_FAILED', [messageOf(error)]), ...ending };
    }
  }

  #workFor(
    state: RunState,
    turn: Turn,
    role: Role,
    ws: Workspace,
    result_file: string,
    config: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    heard: (end: Ending) => void,
  ): TurnWork {
    const { turn_id, attempt, phase } = turn;
    const log = (line: string) => {
      writeFileSync(join(this.#files.dir(state, { turn_id, attempt }), 'log.txt'), `${line}\n`, {
        flag: 'a',
        mode: 0o600,
      });
      this.#parts.log?.(turn, line);
    };
    return {
      key: `${state.run_id}/${turn_id}/${attempt}`,
      run_id: state.run_id,
      turn_id,
      attempt,
      phase,
      role: role.name,
      goal: turn.dispatch.goal ?? state.goal,
      reviews: turn.reviews?.turn_id ?? null,
      bundle: turn.dispatch.bundle.path,
      workspace: ws.dir,
      result_file,
      writes: role.writes,
      config,
      signal,
      log,
      exec: async (argv, options = {}) => {
        const env = { ...this.#environment(config), ...options.env };
        const job = {
          argv,
          cwd: ws.dir,
          env,
          timeoutMs: role.timeoutMs,
          ...guarded(this.#parts.project),
          ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
        };
        const end = await this.#parts.launcher.run(job, signal);
        const ending = { exit_code: end.exitCode, signal: end.signal, timed_out: end.timedOut };
        heard(ending);
        return { ...ending, stdout: end.stdout.text, stderr: end.stderr.text };
      },
    };
  }

  /** The base, and what the settings of the role name in `env`: whoever wrote the template or the project lets it. */
  #environment(config: Readonly<Record<string, unknown>>): Record<string, string> {
    const named = Array.isArray(config['env']) ? config['env'].map(String) : [];
    return Object.fromEntries(
      [...base, ...named].flatMap((name) => {
        const value = this.#parts.env[name];
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
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
    const beyond = outside(changes, turn.reviews === null ? role.writes : []);
    const stuck = beyond.length === 0 ? [] : await restore(ws, beyond, before);
    if (fault !== undefined) return fault;
    const result = readResult(join(this.#files.dir(state, turn), 'result.json'), turn.dispatch);
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
      log: (text) => this.#parts.log?.(turn, text),
    });
    const { status, machine_evidence } = checked;
    if (status === 'fail') {
      const bad = checked.outputs.filter(({ exit_code }) => exit_code !== 0);
      const told = bad.map(({ command, exit_code, tail }) => `${command} exited with ${exit_code}: ${tail.trim()}`);
      return failed('VERIFICATION', told);
    }
    const protocol = protocolErrors(result, turn.reviews !== null, state.decisions);
    if (protocol.length > 0) return failed('PROTOCOL', protocol);
    const verification = { status, commands: [...commands], machine_evidence: [...machine_evidence] };
    const all = turn.attempt === 1 ? changes : await observe(ws, await this.#files.beforeAll(state, turn, ws));
    const foreign = new Set(outside(all, role.writes));
    const files_changed = all.filter((change) => !foreign.has(change)).map(({ path }) => path);
    return { ...unended, error: null, result: { ...result, files_changed, verification } };
  }
}

/** Which core plays a role, and how: as the project says, or else the template. */
export function castingOf(role: Role, { roles, core }: RunSettings): Casting {
  const own = roles[role.name];
  if (own !== undefined) return { core: own.core, with: { ...role.with, ...own.with } };
  if (role.core !== 'default' || core === null) return { core: role.core, with: role.with };
  return { core: core.core, with: { ...core.with, ...role.with } };
}

/** What no agent may touch, whatever its role: the record of what it did. */
function guarded(project: string): { pinned: string[]; readOnly: string[] } {
  const ledger = ledgerFile(project);
  const lock = join(stateDir(project), 'host.lock');
  return { pinned: [stateDir(project)], readOnly: [ledger, `${ledger}-wal`, `${ledger}-shm`, lock] };
}

function failed(code: string, errors: Invalid['errors']): TurnEnd {
  return { ...unended, result: null, error: { code, message: errors.join('\n') } };
}

function roleOf(state: RunState, name: string): Role {
  const role = state.template.roles[name];
  if (role === undefined) throw new PatchbayError('RUN_REFUSED', `there is no role "${name}"`, { run: state.run_id });
  return role;
}

function stepOf(state: RunState, turn: Turn): Step {
  const steps = state.template.phases.flatMap((phase) => phase.steps.flat());
  return steps.find(({ id }) => id === turn.step) as Step;
}

/** A turn that others work beside has a workspace of its own; reviewers look at that of the turn they judge. */
async function workspaceIn(run: Workspace, state: RunState, turn: Turn): Promise<Workspace> {
  return isParallel(state, turn) ? openTurnWorkspace(run, turn.reviews?.turn_id ?? turn.turn_id) : run;
}

/** Whether others work beside it. */
function isParallel(state: RunState, turn: Turn): boolean {
  const groups = state.template.phases.flatMap((phase) => phase.steps);
  return (groups.find((group) => group.some(({ id }) => id === turn.step))?.length ?? 1) > 1;
}
