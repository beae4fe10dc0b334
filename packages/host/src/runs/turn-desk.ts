import { join } from 'node:path';
import type { ProgramEnd, TurnCost, TurnWork } from 'patchbay-sdk';
import type { Launcher } from '../sandbox/launcher.ts';
import { mayWrite, type Workspace } from '../workspaces/index.ts';
import { environmentOf, guarded } from './confinement.ts';
import { Heartbeat } from './heartbeat.ts';
import type { RunState, Turn } from './state.ts';
import type { Role } from './template/template.ts';
import { TurnLog } from './turn-log.ts';
import { silenceOf, TurnPrograms } from './turn-programs.ts';

/** What all turns of a project are worked on with. */
export interface Tools {
  readonly project: string;
  readonly launcher: Launcher;
  /** The environment of which cores see what their settings name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The language models of plugins. */
  readonly llmProviders: TurnWork['llmProviders'];
  /** Hears how turns go. */
  readonly log?: (turn: Turn, line: string) => void;
}

/** One attempt of a turn, and how it is to be worked on. */
export interface Assignment {
  readonly state: RunState;
  readonly turn: Turn;
  readonly role: Role;
  readonly ws: Workspace;
  /** The folder of the attempt. */
  readonly dir: string;
  readonly result_file: string;
  /** Settings of the role for its core. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Aborted when the turn is over. */
  readonly signal: AbortSignal;
  /** What it has cost since this was last said. */
  readonly spent: (cost: TurnCost) => void;
}

/** Where a core works on one attempt of a turn, with what it needs for that. Nothing it starts outlives the desk. */
export class TurnDesk {
  /** What the core is given. */
  readonly work: TurnWork;
  readonly #programs: TurnPrograms;
  readonly #log: TurnLog;
  readonly #heartbeat: Heartbeat;
  #ending: ProgramEnd | undefined;

  /** Throws if the settings are wrong. */
  constructor(tools: Tools, assignment: Assignment) {
    const { turn, role, ws, dir, config, signal } = assignment;
    const silenceMs = silenceOf(config);
    this.#heartbeat = new Heartbeat(dir);
    this.#log = new TurnLog(join(dir, 'log.txt'), (text) => tools.log?.(turn, text));
    this.#programs = new TurnPrograms({
      launcher: tools.launcher,
      dir: ws.dir,
      env: environmentOf(tools.env, config),
      guard: guarded(ws, dir),
      silenceMs,
      timeoutMs: role.timeoutMs,
      signal,
      printed: () => this.#heartbeat.printed(),
      ended: (end) => {
        this.#ending = end;
      },
    });
    this.work = this.#workFor(tools, assignment);
  }

  /** How the program ended that ended last; undefined if none has. */
  get ending(): ProgramEnd | undefined {
    return this.#ending;
  }

  /** The core is done: ends what it has left running. Never rejects. */
  async close(): Promise<void> {
    await this.#programs.close();
    this.#log.close();
    await this.#heartbeat.end();
  }

  #workFor({ llmProviders }: Tools, assignment: Assignment): TurnWork {
    const { state, turn, role, ws, result_file, config, signal, spent } = assignment;
    const { turn_id, attempt, phase, reviews, dispatch } = turn;
    return {
      key: `${state.run_id}/${turn_id}/${attempt}`,
      run_id: state.run_id,
      turn_id,
      attempt,
      phase,
      role: role.name,
      goal: dispatch.goal ?? state.goal,
      reviews: reviews?.turn_id ?? null,
      bundle: dispatch.bundle.path,
      workspace: ws.dir,
      result_file,
      writes: role.writes,
      config,
      signal,
      log: (line) => {
        this.#heartbeat.printed();
        this.#log.add(line);
      },
      spent,
      mayWrite: (path) => reviews === null && mayWrite(ws, role.writes, path),
      exec: (argv, options) => this.#programs.exec(argv, options),
      spawn: (argv, options) => this.#programs.spawn(argv, options),
      llmProviders,
    };
  }
}
