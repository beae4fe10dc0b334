import * as z from 'zod/mini';
import type { LlmProvider } from './outside.ts';
import { fields, method, text } from './parts.ts';

/** How a program that a core started has ended. */
export interface ProgramEnd {
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** Its own time was over, or that of the turn. */
  readonly timed_out: boolean;
  /** It printed nothing for longer than the role lets it, by `silence` in its settings. */
  readonly silent: boolean;
  /** What it printed, bounded: the head and the tail. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Something that a program has just printed. Of what is too much at a time, a line says how many bytes were left out. */
export interface ProgramOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** A program that a core talks with. It ends with the turn at the latest. */
export interface Program {
  /** Has it read a text; resolves when it can take more. Rejects if it has ended. */
  write(text: string): Promise<void>;
  /** It has nothing more to read. */
  endInput(): Promise<void>;
  /** What it has printed since the last time, or prints next; null once it has ended. It waits where nobody reads. */
  read(): Promise<string | null>;
  /** Ends it and all that it started, asked first, forced 2 seconds later; resolves when nothing is left. Never rejects. */
  stop(): Promise<void>;
  /** Resolves when it has ended, in whatever way. */
  ended(): Promise<ProgramEnd>;
}

/** How a program is run. */
export interface ProgramOptions {
  /** Variables besides the usual ones and those that the role names. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What work has cost. */
export interface TurnCost {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly usd: number;
}

/** A tool, as agents are told of it. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Where programs of a turn reach its tools by the Model Context Protocol, until the turn is over. */
export interface McpAccess {
  /** For streamable HTTP, with `Authorization: Bearer TOKEN`. */
  readonly url: string;
  readonly token: string;
  /** A program that speaks the same over its standard input and output; it needs no token. */
  readonly command: readonly string[];
}

/** The chat that a turn answers. */
export interface TurnChat {
  readonly jid: string;
  /** The folder of the workspace that it is of, which is also its group in a memory. */
  readonly workspace: string;
  /** What was said before, the oldest first; nothing where the turn is to know of nothing. */
  readonly history: readonly { readonly sender: string; readonly text: string; readonly is_bot: boolean }[];
}

/** A turn, as a core gets it to work on. */
export interface TurnWork {
  /** The same for every time that this attempt is worked on: a crash may have come in between. */
  readonly key: string;
  readonly run_id: string;
  readonly turn_id: string;
  readonly attempt: number;
  readonly phase: string;
  readonly role: string;
  readonly goal: string;
  /** The turn that it judges, if it does. */
  readonly reviews: string | null;
  /** Folder with what it should know; it cannot be changed. */
  readonly bundle: string;
  /** Folder to work in. */
  readonly workspace: string;
  /** Where it leaves its result, as JSON. */
  readonly result_file: string;
  /** Globs of what it may change, to tell an agent; `mayWrite` judges by them. */
  readonly writes: readonly string[];
  /** Settings of the role for this core. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Aborted when the turn has taken too long, or the run is ended. */
  readonly signal: AbortSignal;
  /** Tells people how it goes. */
  log(line: string): void;
  /**
   * Tells what the turn has cost since this was last said: it counts whatever becomes of the turn, which is stopped when the
   * budget of its run is used up. A result may claim more than that, not less.
   */
  spent(cost: TurnCost): void;
  /**
   * Whether the role may change a file of the workspace, in this turn: by the rule by which the host judges what was changed.
   * The path is relative, with `/` between its parts and no links on the way.
   */
  mayWrite(path: string): boolean | Promise<boolean>;
  /**
   * Runs a program in the workspace, confined as scripts are, until the turn is over at the longest. Rejects if it cannot be
   * started.
   */
  exec(
    argv: readonly string[],
    options?: ProgramOptions & {
      /** @default it reads the end at once */
      readonly stdin?: string;
      /** How long it may take. @default as long as the turn may */
      readonly timeoutMs?: number;
      /** Hears what it prints, as it comes. */
      readonly onOutput?: (output: ProgramOutput) => void;
    },
  ): Promise<ProgramEnd>;
  /** Starts a program to talk with, confined in the same way. Rejects if it cannot be started. */
  spawn(
    argv: readonly string[],
    options?: ProgramOptions & {
      /** Hears what it prints to its standard error, as it comes. */
      readonly onStderr?: (text: string) => void;
    },
  ): Promise<Program>;
  /** The chat that it answers; null if it answers none. */
  readonly chat: TurnChat | null;
  /** Lets people see how it goes: a piece of its answer, a thought. Kept, and shown as it comes. */
  trace(kind: 'text' | 'thinking', text: string): void;
  /** The tools of plugins and servers that this turn may call. Never rejects. */
  tools(): Promise<readonly ToolInfo[]>;
  /** Calls one of them, as far as policy lets it: that may take until a person has decided. Never rejects. */
  callTool(name: string, input: Readonly<Record<string, unknown>>): Promise<ServiceResponse>;
  /** Where its programs reach the same tools; those that it runs find it in `PATCHBAY_MCP_URL`, `_TOKEN` and `_COMMAND`. */
  mcp(): Promise<McpAccess>;
  /** The language models that plugins provide now, each with its plugin. Two may have the same name. Never rejects. */
  llmProviders(): Promise<readonly (LlmProvider & { readonly plugin: string })[]>;
}

/** An agent framework that can work on a turn: in the host by `run`, or by a module where the agent runs. */
export const agentCore = z.object({
  /** What config and `PATCHBAY_AGENT_CORE` select it by. */
  name: text,
  /** Works on a turn; when it resolves, the result is in its file, or there is none. */
  run: z.optional(method<(turn: TurnWork) => Promise<void>>()),
  /** The checks of gates that it can live up to; all of them if it does not say. */
  honours: z.optional(z.array(text)),
  /** Module that exports the core, resolvable where the agent runs. */
  module: z.optional(text),
  /** The export of `module` to instantiate. */
  className: z.optional(text),
  /** npm packages to install where the agent runs. */
  packages: z.optional(z.array(text)),
  /** Folder of the host mounted read-only at `/workspace/plugins/{name}/`. */
  hostSourcePath: z.optional(z.nullable(text)),
});
/** See {@link agentCore}. */
export type AgentCore = z.output<typeof agentCore>;

/** What a tool's handler gets: `type` and `request_id` of the request, and the tool's own fields. */
export type ServiceRequest = { readonly type: string; readonly request_id: string } & Readonly<Record<string, unknown>>;
/** What a tool's handler answers. */
export type ServiceResponse = { readonly result: unknown } | { readonly error: string };

/** What a tool does that policy must know of: what it reads, and whom it tells. */
export type ToolTrait = 'reads-private' | 'reads-untrusted' | 'public-sink';
const serviceHandler = method<(request: ServiceRequest) => ServiceResponse | Promise<ServiceResponse>>();

/** One tool that agents may call and the host carries out, behind policy. A bare function takes any object. */
export const serviceTool = z.union([
  serviceHandler,
  z.object({
    handler: serviceHandler,
    description: text,
    inputSchema: fields,
    traits: z.optional(z.array(z.enum(['reads-private', 'reads-untrusted', 'public-sink']))),
  }),
]);
/** See {@link serviceTool}. */
export type ServiceTool = z.output<typeof serviceTool>;
/** Tool name to tool. */
export const serviceTools = z.record(text, serviceTool);
