import { join } from 'node:path';
import type { McpAccess, ProgramEnd, TurnChat, TurnCost, TurnWork } from 'patchbay-sdk';
import type { Job, Launcher } from '../sandbox/launcher.ts';
import type { OpenTurnTools, TurnTools } from '../services/turn-tools.ts';
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
  /** The tools of plugins and servers. @default there are none */
  readonly openTools?: OpenTurnTools;
  /** The chat that a run answers. @default none does */
  readonly chatOf?: (state: RunState) => TurnChat | null;
  /** Hears what agents let people see of themselves. */
  readonly trace?: (state: RunState, turn: Turn, kind: string, text: string) => void;
  /** Has a program of a run run where that is to be. @default in the workspace, confined as scripts are */
  readonly surround?: (state: RunState, turn: Turn, job: Job) => Promise<Job>;
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
  readonly #tools: TurnTools;
  readonly #log: TurnLog;
  readonly #heartbeat: Heartbeat;
  #ending: ProgramEnd | undefined;

  /** Throws if the settings are wrong. */
  constructor(tools: Tools, assignment: Assignment) {
    const { state, turn, role, ws, dir, config, signal } = assignment;
    const chat = tools.chatOf?.(state) ?? null;
    const user = { ...keysOf(state, turn), role: role.name, dir, signal };
    this.#tools = (tools.openTools ?? noTools)({
      ...user,
      workspace: chat?.workspace ?? null,
      chat_jid: chat?.jid ?? null,
    });
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
      prepare: async (job) => {
        const reached = tools.openTools === undefined ? job : withTools(job, await this.#tools.mcp());
        return tools.surround === undefined ? reached : tools.surround(state, turn, reached);
      },
      printed: () => this.#heartbeat.printed(),
      ended: (end) => {
        this.#ending = end;
      },
    });
    this.work = this.#workFor(tools, assignment, chat);
  }

  /** How the program ended that ended last; undefined if none has. */
  get ending(): ProgramEnd | undefined {
    return this.#ending;
  }

  /** The core is done: ends what it has left running. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([this.#programs.close(), this.#tools.close()]);
    this.#log.close();
    await this.#heartbeat.end();
  }

  #workFor({ llmProviders, trace }: Tools, assignment: Assignment, chat: TurnChat | null): TurnWork {
    const { state, turn, role, ws, result_file, config, signal, spent } = assignment;
    const { attempt, phase, reviews, dispatch } = turn;
    return {
      ...keysOf(state, turn),
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
      chat,
      trace: (kind, text) => {
        this.#heartbeat.printed();
        trace?.(state, turn, kind, text);
      },
      tools: () => this.#tools.list(),
      callTool: (name, input) => this.#tools.call(name, input),
      mcp: () => this.#tools.mcp(),
      llmProviders,
    };
  }
}

function keysOf({ run_id }: RunState, { turn_id, attempt }: Turn) {
  return { key: `${run_id}/${turn_id}/${attempt}`, run_id, turn_id };
}

const noTools: OpenTurnTools = () => ({
  list: async () => [],
  call: async (name) => ({ error: `there is no tool "${name}"` }),
  mcp: () => Promise.reject(new Error('there are no tools here')),
  close: async () => {},
});

/** How a program finds the tools of its turn. */
function withTools(job: Job, { url, token, command }: McpAccess): Job {
  const found = { PATCHBAY_MCP_URL: url, PATCHBAY_MCP_TOKEN: token, PATCHBAY_MCP_COMMAND: JSON.stringify(command) };
  return { ...job, env: { ...job.env, ...found } };
}
