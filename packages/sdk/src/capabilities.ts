import * as z from 'zod/mini';

const text = z.string();
const fields = z.record(z.string(), z.unknown());

/** A member that must be callable; what it is called with stands on the interface. */
function method<F extends (...args: never[]) => unknown>() {
  return z.custom<F>((value) => typeof value === 'function', 'must be a function');
}

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

/** Folders with a `SKILL.md` each, as absolute paths. */
export const skills = z.array(text);

/** A message as a channel hands it in. */
export interface NewMessage {
  readonly id: string;
  readonly sender: string;
  readonly senderName: string;
  readonly content: string;
  readonly timestamp: string;
}

/** What a channel plugin may do with the host. */
export const channelContext = z.strictObject({
  /** Hand in a message for a chat. Returns once it is stored. */
  onMessage: method<(jid: string, message: NewMessage) => Promise<void>>(),
  /** Tell when a chat was last active and what it is called. */
  onChatMetadata: method<(jid: string, timestamp: string, name?: string) => void>(),
  /** The workspaces that take part, by chat. */
  registeredGroups: method<() => Readonly<Record<string, { readonly folder: string; readonly name: string }>>>(),
  /** Send text to a chat through whichever channel owns it. */
  sendMessage: method<(jid: string, text: string) => Promise<void>>(),
  /** The last message that was taken from a chat: what came after it, a channel that was away should hand in. */
  lastMessage: method<(jid: string) => Promise<{ readonly id: string; readonly timestamp: string } | null>>(),
  /** Hand in a reaction, where the host wants them. */
  onReaction: z.optional(method<(jid: string, messageId: string, reaction: string, sender: string) => void>()),
});

/** A way to talk with people. */
export const channel = z.object({
  name: text,
  connect: method<() => Promise<void>>(),
  /** Rejects if it was not sent; it is tried again. `answers` is the message that it answers, by the id it came with. */
  sendMessage: method<(jid: string, text: string, about?: { readonly answers?: string }) => Promise<void>>(),
  isConnected: method<() => boolean | Promise<boolean>>(),
  ownsJid: method<(jid: string) => boolean | Promise<boolean>>(),
  disconnect: method<() => Promise<void>>(),
  /** Whether the assistant's name is put before what it says. Default true. */
  prefixAssistantName: z.optional(z.boolean()),
  setTyping: z.optional(method<(jid: string, typing: boolean) => Promise<void>>()),
  createGroup: z.optional(method<(name: string) => Promise<string>>()),
});
/** See {@link channel}. */
export type Channel = z.output<typeof channel>;

/** A program that is to run apart from the host, and what it gets there. */
export interface ContainerSpec {
  /** Unique; begins with the prefix by which what is left over is found. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined where the system of the host is used. */
  readonly image?: string;
  readonly argv: readonly string[];
  /** Absolute, inside. */
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly { readonly from: string; readonly to: string; readonly readOnly: boolean }[];
  readonly network: 'none' | 'host';
  readonly limits: { readonly cpus?: number; readonly memoryMb?: number; readonly pids?: number };
}

/** The program of the host that runs a container to its end, and all of that program's environment. */
export interface ContainerCommand {
  /** Begins with an absolute path, or a name to be found on the PATH of `env`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Removes the container where that program is killed and would leave it. Not needed where it ends with its program. */
  readonly after?: readonly string[];
}

/** Which limits of a container are kept, here and now. */
export interface ContainerLimits {
  readonly cpus: boolean;
  readonly memoryMb: boolean;
  readonly pids: boolean;
}

/** Something that can run agents apart from the host. */
export const containerRuntime = z.object({
  name: text,
  cli: text,
  isAvailable: method<() => boolean | Promise<boolean>>(),
  /** Throws if it cannot be made to run. */
  ensureRunning: method<() => void | Promise<void>>(),
  listRunningContainers: method<(prefix: string) => string[] | Promise<string[]>>(),
  /** How one is run. A runtime that cannot tell is only found and listed. */
  command: z.optional(method<(spec: ContainerSpec) => ContainerCommand | Promise<ContainerCommand>>()),
  /** Ends and removes a container by its name; one that is gone is no failure. */
  remove: z.optional(method<(name: string) => void | Promise<void>>()),
  /** What becomes of `limits` in a spec. All of them are kept if it does not say. */
  limits: z.optional(method<() => ContainerLimits | Promise<ContainerLimits>>()),
});
/** See {@link containerRuntime}. */
export type ContainerRuntime = z.output<typeof containerRuntime>;

/** A way for the outside to reach this machine. */
export const tunnel = z.object({
  name: text,
  isAvailable: method<() => boolean | Promise<boolean>>(),
  isConnected: method<() => boolean | Promise<boolean>>(),
  statusSummary: method<() => string | Promise<string>>(),
});
/** See {@link tunnel}. */
export type Tunnel = z.output<typeof tunnel>;

/** Where an observer attaches. */
export interface EventBus {
  /**
   * Has it told of every event of a name, or of all by `*`, one after the other: the next one comes when the listener is done
   * with this one. Gives the undo. What has come of calling a handler is told as `delivery:settled`, only by that name.
   */
  subscribe(event: string, listener: (payload: Readonly<Record<string, unknown>>) => void | Promise<void>): () => void;
}

/** What an observer is made with. */
export const observerContext = z.strictObject({
  /** The folder of the project. */
  project: text,
});

/** Something that watches events and keeps or forwards them. */
export const observer = z.object({
  name: text,
  subscribe: method<(bus: EventBus) => void | Promise<void>>(),
  close: method<() => Promise<void>>(),
});
/** See {@link observer}. */
export type Observer = z.output<typeof observer>;

/** `core` is kept, `daily` expires, `conversation` is archived by itself. */
export type MemoryCategory = 'core' | 'daily' | 'conversation';

/** Bounds of what a memory is given, the same for every backend: lengths in characters, and the most entries at once. */
export const memoryLimits = { key: 512, content: 262_144, atOnce: 1000 } as const;

/** What is kept in a memory. */
export interface MemoryEntry {
  readonly key: string;
  readonly content: string;
  readonly category: MemoryCategory;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** An entry of a memory as it was before it was corrected or forgotten. */
export interface EarlierMemory extends Omit<MemoryEntry, 'key'> {
  /** When it was replaced. */
  readonly until: string;
}

/** What a memory is made with. */
export const memoryContext = z.strictObject({
  /** The folder of the project. */
  project: text,
});

/** Where agents keep what they learn. Entries of one group are never seen, nor ranked, by another. */
export const memory = z.object({
  name: text,
  save: method<
    (
      group: string,
      key: string,
      content: string,
      category: MemoryCategory,
      metadata: Record<string, unknown> | null,
    ) => Promise<Record<string, unknown>>
  >(),
  recall:
    method<
      (
        group: string,
        query: string,
        category: MemoryCategory | null,
        limit: number,
      ) => Promise<Record<string, unknown>[]>
    >(),
  forget: method<(group: string, key: string) => Promise<Record<string, unknown>>>(),
  /** Without a page all of them. One that knows no pages gives more than was asked for. */
  listKeys:
    method<
      (
        group: string,
        category: MemoryCategory | null,
        page?: { limit?: number; offset?: number },
      ) => Promise<Record<string, unknown>[]>
    >(),
  /** What an entry said before, the latest first. */
  history: z.optional(method<(group: string, key: string) => Promise<readonly EarlierMemory[]>>()),
  /** Everything a group has. */
  export: z.optional(method<(group: string) => Promise<readonly MemoryEntry[]>>()),
  /** Saves all of these, or none; gives how many. */
  import: z.optional(method<(group: string, entries: readonly MemoryEntry[]) => Promise<number>>()),
  init: method<() => Promise<void>>(),
  close: method<() => Promise<void>>(),
});
/** See {@link memory}. */
export type Memory = z.output<typeof memory>;

/** An MCP server the host starts, watches and stops. User config wins field by field. */
export const mcpServer = z.object({
  name: text,
  type: z.optional(z.enum(['docker', 'script', 'url'])),
  image: z.optional(text),
  dockerfile: z.optional(z.nullable(text)),
  command: z.optional(z.nullable(text)),
  args: z.optional(z.nullable(z.array(text))),
  url: z.optional(text),
  port: z.optional(z.int()),
  extraPorts: z.optional(z.nullable(z.array(z.int()))),
  transport: z.optional(text),
  idleTimeout: z.optional(z.number()),
  env: z.optional(z.nullable(z.record(text, text))),
  envForward: z.optional(z.nullable(z.union([z.array(text), z.record(text, text)]))),
  volumes: z.optional(z.nullable(z.array(text))),
});
/** See {@link mcpServer}. */
export type McpServer = z.output<typeof mcpServer>;
/** One server or several. */
export const mcpServers = z.union([mcpServer, z.array(mcpServer)]);

/** A folder in which an agent works, with what it is set up with. User config wins field by field. */
export const workspace = z.object({ folder: text, config: fields });
/** See {@link workspace}. */
export type Workspace = z.output<typeof workspace>;

/** A request that came in, its sender verified. */
export interface InboundRequest {
  readonly path: string;
  /** The body, read as JSON. */
  readonly payload: unknown;
  /** Names are lower-cased. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  readonly raw: string;
}

/** What is answered. Default: 200 and an empty object. */
export interface InboundReply {
  readonly status?: number;
  readonly body?: unknown;
}

/** How the sender of a request proves who it is. Secrets are values, looked up in config; several while one is replaced. */
export const webhookProof = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('none') }),
  z.strictObject({ scheme: z.enum(['standard', 'github', 'gitlab', 'slack', 'bearer']), secrets: z.array(text) }),
  z.strictObject({
    scheme: z.literal('hmac'),
    secrets: z.array(text),
    /** The header with the digest. Default: `x-signature`. */
    header: z.optional(text),
    algorithm: z.optional(z.enum(['sha256', 'sha512'])),
    encoding: z.optional(z.enum(['hex', 'base64'])),
    /** What stands before the digest, as in `sha256=`. */
    prefix: z.optional(text),
    /** The header with the sender's number of the delivery. */
    idHeader: z.optional(text),
    /** The header with the time in seconds, signed as `TIME.BODY`. */
    timeHeader: z.optional(text),
  }),
]);
/** See {@link webhookProof}. */
export type WebhookProof = z.output<typeof webhookProof>;

/** One route on which requests are taken. */
export const webhook = z.object({
  /** Absolute, without a query; unique in a host. */
  path: text,
  /** Default: none, which only a loopback listener takes. */
  proof: z.optional(webhookProof),
  handle: method<(request: InboundRequest) => InboundReply | undefined | Promise<InboundReply | undefined>>(),
});
/** See {@link webhook}. */
export type Webhook = z.output<typeof webhook>;
/** All routes of a plugin. */
export const webhooks = z.array(webhook);

/** What a route may have the host do. */
export const webhookContext = z.strictObject({
  /** Has a run begin; it is durable when this resolves with its id. The same request never begins it twice. */
  startRun:
    method<
      (wanted: {
        readonly template?: string;
        /** A day of the plan; null for the next one that is pending. */
        readonly day?: number | null;
        readonly input?: string;
      }) => Promise<string>
    >(),
});

/** What a language model is asked, in words that every provider can be given. */
export interface LlmRequest {
  /** As the role names it. */
  readonly model: string;
  readonly system: string;
  /** The whole conversation: nothing is kept from request to request. */
  readonly messages: readonly LlmMessage[];
  /** What the model may call; `inputSchema` is a JSON Schema. */
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: unknown }[];
  /** The most that it may say. @default as the provider has it */
  readonly maxTokens?: number;
}
/** A part of the conversation. After what an assistant called for comes one `tool` for each call, in order. */
export type LlmMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly LlmCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly output: string };
/** A tool that the model wants called. */
export interface LlmCall {
  /** Unique in an answer; comes back as the `callId` of the result. */
  readonly id: string;
  readonly name: string;
  /** An object, or its JSON as the model wrote it: the model is told if that is none. */
  readonly input: unknown;
}
/** What the model says. To call for nothing is to be done. */
export interface LlmAnswer {
  readonly text: string;
  readonly calls: readonly LlmCall[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** Where a language model is reached. */
export const llmProvider = z.object({
  /** What the setting `provider` of the core `llm` selects it by. */
  name: text,
  /** Asks the model. What it throws makes the turn fail, so whatever is worth a second try is its own to repeat. */
  /** `signal` is aborted when nobody waits for the answer any more. */
  generate: method<(request: LlmRequest, options: { readonly signal: AbortSignal }) => Promise<LlmAnswer>>(),
});
/** See {@link llmProvider}. */
export type LlmProvider = z.output<typeof llmProvider>;

/** Something on a platform that people can look at. */
export interface PlatformThing {
  readonly id: string;
  readonly url: string;
}

/** What a platform is made with. */
export const platformContext = z.strictObject({
  /** The folder of the project. */
  project: text,
  /** What the project says of its platform. */
  settings: fields,
});

/** Where a project is hosted. What is given again under the same key is made once. */
export const platform = z.object({
  name: text,
  /** Asks people to review a branch. */
  openReview:
    method<(review: { key: string; branch: string; title: string; body: string }) => Promise<PlatformThing>>(),
  /** Tells people that a run is stuck. */
  escalate: method<(escalation: { key: string; title: string; body: string }) => Promise<PlatformThing>>(),
  setVariable: method<(name: string, value: string) => Promise<void>>(),
  /** Adds to what people see of this job, as Markdown. */
  writeSummary: method<(markdown: string) => Promise<void>>(),
  /** Waits until all checks of a commit have ended, `timeoutMs` at the longest. */
  waitForChecks: method<(commit: string, timeoutMs: number) => Promise<'success' | 'failure' | 'timeout'>>(),
});
/** See {@link platform}. */
export type Platform = z.output<typeof platform>;

/** What a settled run came to, as reporters get it. */
export interface RunReport {
  readonly run_id: string;
  readonly template: string;
  readonly goal: string;
  readonly status: string;
  readonly reason: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  /** The day of the plan that it was, and how that ended. */
  readonly day: number | null;
  readonly decision: string | null;
  readonly cost: { readonly input_tokens: number; readonly output_tokens: number; readonly usd: number };
  readonly turns: readonly {
    readonly turn_id: string;
    readonly role: string;
    readonly phase: string;
    readonly attempt: number;
    readonly state: string;
    readonly summary: string | null;
    readonly report: Readonly<Record<string, unknown>> | null;
  }[];
}

/** What a reporter makes of a run. */
export interface Reported {
  /** Files that the host writes, by their path in the project. */
  readonly files?: readonly { readonly path: string; readonly text: string }[];
  /** What people see beside the job, as Markdown: the platform shows it. */
  readonly summary?: string;
}

/** Something that writes down what a run came to. */
export const reporter = z.object({
  /** What the project lists it by. */
  name: text,
  /** Whether it is used where the project lists none. Default: true. */
  byDefault: z.optional(z.boolean()),
  /** Told of a run that has settled. `read` gives a file of the project; null if it is not there. */
  report: method<(report: RunReport, read: (path: string) => Promise<string | null>) => Promise<Reported>>(),
});
/** See {@link reporter}. */
export type Reporter = z.output<typeof reporter>;
