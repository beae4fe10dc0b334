import * as z from 'zod/mini';
import { fields, method, text } from './parts.ts';

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
