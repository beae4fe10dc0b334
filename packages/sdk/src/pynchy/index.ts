import type { MemoryCategory } from '../capabilities.ts';

/** The order in which an implementation is called. */
export interface HookimplOptions {
  /** Before those of all other plugins. */
  readonly tryfirst?: boolean;
  /** After those of all other plugins. */
  readonly trylast?: boolean;
}

/** Under which an implementation carries its options. */
export const hookimplOptions: unique symbol = Symbol.for('patchbay.pynchy.hookimpl') as never;

type Method = (...args: never[]) => unknown;

/**
 * Marks an implementation of a hook: as a decorator (`@hookimpl` or `@hookimpl({ trylast: true })`) or around a function
 * (`hookimpl(() => …, { tryfirst: true })`). A method of the right name is one even without it.
 */
export function hookimpl<M extends Method>(method: M, options?: HookimplOptions | ClassMethodDecoratorContext): M;
export function hookimpl(options: HookimplOptions): <M extends Method>(method: M, context?: unknown) => M;
export function hookimpl(first: Method | HookimplOptions, second: object = {}): unknown {
  if (typeof first !== 'function') return (method: Method) => marked(method, first);
  return marked(first, 'kind' in second ? {} : second);
}

function marked<M extends Method>(method: M, options: HookimplOptions): M {
  Object.defineProperty(method, hookimplOptions, { value: options, configurable: true });
  return method;
}

/** A new message was stored. Stands for its name where an observer subscribes. */
export class MessageEvent {
  declare readonly chat_jid: string;
  declare readonly sender_name: string;
  declare readonly content: string;
  declare readonly timestamp: string;
  declare readonly is_bot: boolean;
}

/** An agent has begun or ended to work on a chat. */
export class AgentActivityEvent {
  declare readonly chat_jid: string;
  declare readonly active: boolean;
}

/** A glimpse of an agent at work. */
export class AgentTraceEvent {
  declare readonly chat_jid: string;
  declare readonly trace_type: string;
  declare readonly data: Readonly<Record<string, unknown>>;
}

/** The history of a chat was cleared. */
export class ChatClearedEvent {
  declare readonly chat_jid: string;
}

/** Where an observer attaches. Subscribing gives the undo. */
export interface EventBus {
  subscribe<E>(event: new () => E, listener: (event: E) => void | Promise<void>): () => void;
  subscribe(event: string, listener: (event: Readonly<Record<string, unknown>>) => void | Promise<void>): () => void;
}

/** A message as a channel hands it in. */
export interface NewMessage {
  readonly id: string;
  readonly sender: string;
  readonly sender_name: string;
  readonly content: string;
  readonly timestamp: string;
}

/** What a channel may do with the host. */
export interface ChannelPluginContext {
  on_message_callback(jid: string, message: NewMessage): Promise<void>;
  on_chat_metadata_callback(jid: string, timestamp: string, name?: string): void;
  registered_groups(): Readonly<Record<string, { readonly folder: string; readonly name: string }>>;
  send_message(jid: string, text: string): Promise<void>;
  readonly on_reaction_callback?: (jid: string, message_id: string, reaction: string, sender: string) => void;
}

type Later<T> = T | Promise<T>;

/** A way to talk with people. */
export interface Channel {
  readonly name: string;
  connect(): Promise<void>;
  send_message(jid: string, text: string): Promise<void>;
  is_connected(): Later<boolean>;
  owns_jid(jid: string): Later<boolean>;
  disconnect(): Promise<void>;
  readonly prefix_assistant_name?: boolean;
  set_typing?(jid: string, typing: boolean): Promise<void>;
  create_group?(name: string): Promise<string>;
}

/** What a tool's handler is given: `type` is the name of the tool. */
export type ServiceData = { readonly type: string; readonly request_id: string } & Readonly<Record<string, unknown>>;
/** What it answers. */
export type ServiceAnswer = { readonly result: unknown } | { readonly error: string };
/** Carries out the call of a tool. */
export type ServiceHandler = (data: ServiceData) => Later<ServiceAnswer>;

/** Where agents keep what they learn. */
export interface MemoryBackend {
  readonly name: string;
  save(
    group_folder: string,
    key: string,
    content: string,
    category: MemoryCategory,
    metadata: Record<string, unknown> | null,
  ): Promise<Record<string, unknown>>;
  recall(
    group_folder: string,
    query: string,
    category: MemoryCategory | null,
    limit: number,
  ): Promise<Record<string, unknown>[]>;
  forget(group_folder: string, key: string): Promise<Record<string, unknown>>;
  list_keys(group_folder: string, category: MemoryCategory | null): Promise<Record<string, unknown>[]>;
  init(): Promise<void>;
  close(): Promise<void>;
}

/** A plugin of Pynchy: any combination of these. */
export interface PynchyPlugin {
  pynchy_agent_core_info?(): Later<{
    readonly name: string;
    readonly module: string;
    readonly class_name: string;
    readonly packages: readonly string[];
    readonly host_source_path: string | null;
  } | null>;
  pynchy_service_handler?(): Later<{
    readonly tools: Readonly<
      Record<string, ServiceHandler | { handler: ServiceHandler; description: string; input_schema: object }>
    >;
  } | null>;
  pynchy_skill_paths?(): Later<readonly string[] | null>;
  pynchy_create_channel?(context: ChannelPluginContext): Later<Channel | null>;
  pynchy_container_runtime?(): Later<{
    readonly name: string;
    readonly cli: string;
    is_available(): Later<boolean>;
    ensure_running(): Later<void>;
    list_running_containers(prefix: string): Later<string[]>;
  } | null>;
  pynchy_tunnel?(): Later<{
    readonly name: string;
    is_available(): Later<boolean>;
    is_connected(): Later<boolean>;
    status_summary(): Later<string>;
  } | null>;
  pynchy_observer?(): Later<{
    readonly name: string;
    subscribe(event_bus: EventBus): void;
    close(): Promise<void>;
  } | null>;
  pynchy_memory?(): Later<MemoryBackend | null>;
  pynchy_mcp_server_spec?(): Later<
    Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[] | null
  >;
  pynchy_workspace_spec?(): Later<{
    readonly folder: string;
    readonly config: Readonly<Record<string, unknown>>;
  } | null>;
}
