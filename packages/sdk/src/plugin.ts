import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Dialect } from './dialects.ts';
import type { PatchbayError } from './errors.ts';
import type { CapabilityName, HookName, Hooks } from './hooks.ts';
import type { AnswerOf, HookTable, PayloadOf, ResultOf } from './row.ts';

/** Where a plugin writes what it wants people to know. Never throws. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** What a handler gets beside the payload. Made for one call of one handler. */
export interface HookContext<C = unknown> {
  readonly plugin: string;
  readonly hook: string;
  /** The run that the call is about, if it is about one. */
  readonly run: string | null;
  /**
   * The key of this delivery. An event may be delivered again after a crash: then with the same key. Null where the call
   * is not about an event.
   */
  readonly delivery: string | null;
  /** The plugin's configuration, validated, defaults applied. */
  readonly config: C;
  readonly log: Log;
  /** Aborted when the deadline of this call has passed. Made when first read. */
  readonly signal: AbortSignal;
  /** Have `undo` called when the plugin is disabled, upgraded or removed; the last one given is called first. */
  defer(undo: () => void | Promise<void>): void;
}

type Nothing = null | undefined | void;
type MaybePromise<T> = T | PromiseLike<T>;

/** A function that is called for hook `H` of table `T`. It may answer nothing, and it may be async. */
export type Handler<T extends HookTable, H extends keyof T, C = unknown> = (
  payload: PayloadOf<T, H>,
  context: HookContext<C>,
) => MaybePromise<AnswerOf<T, H> | Nothing>;

/** What the handlers within a wrapper came to: a result, or a refusal. */
export interface Outcome<R> {
  readonly result: R | undefined;
  readonly refusal: PatchbayError | undefined;
}

/** The second half of a wrapper. It may answer another result in place of the one it is given; not undo a refusal. */
export type After<T extends HookTable, H extends keyof T> = (
  outcome: Outcome<ResultOf<T, H>>,
) => MaybePromise<ResultOf<T, H> | Nothing>;

/**
 * A function around all handlers of hook `H`: it is called before the first of them, and what it answers is called
 * after the last, whatever they came to. The first half cannot change the payload, and neither half can keep the
 * handlers from being called once.
 */
export type Wrapper<T extends HookTable, H extends keyof T, C = unknown> = (
  payload: PayloadOf<T, H>,
  context: HookContext<C>,
) => MaybePromise<After<T, H> | Nothing>;

/** Where a handler stands among those of other plugins, and how it is treated. */
export interface HandlerOptions {
  /** Before all that do not say so. Not together with `trylast`. */
  readonly tryfirst?: boolean;
  /** After all that do not say so. */
  readonly trylast?: boolean;
  /** Names of plugins whose handlers must come later. Those that are not there do not matter. */
  readonly before?: readonly string[];
  /** Names of plugins whose handlers must come earlier. */
  readonly after?: readonly string[];
  /** Shorter or longer than the hook's own deadline. */
  readonly deadlineMs?: number;
  /** On a closed hook: neither a failure nor a verdict of this handler refuses anything. */
  readonly advisory?: boolean;
  /** Leave it out, rather than refuse the plugin, where the host has no such hook. */
  readonly optional?: boolean;
  /** Called this in reports; the plugin's name and a number otherwise. */
  readonly id?: string;
}

/** A handler with options. */
export interface HandlerSpec<T extends HookTable, H extends keyof T, C = unknown> extends HandlerOptions {
  readonly handler: Handler<T, H, C>;
}

/** A wrapper with options. */
export interface WrapperSpec<T extends HookTable, H extends keyof T, C = unknown> extends HandlerOptions {
  readonly wrapper: Wrapper<T, H, C>;
}

/** What may stand behind the name of a hook. */
export type Implementation<T extends HookTable, H extends keyof T, C = unknown> =
  | Handler<T, H, C>
  | HandlerSpec<T, H, C>
  | WrapperSpec<T, H, C>
  | readonly (Handler<T, H, C> | HandlerSpec<T, H, C> | WrapperSpec<T, H, C>)[];

/** The config type behind a schema. */
export type ConfigOf<S> = S extends StandardSchemaV1<unknown, infer Out> ? Out : Record<string, never>;

/** What an operator may write as configuration of a plugin with schema `S`. */
export type ConfigInput<S> = S extends StandardSchemaV1<infer In, unknown> ? In : Record<string, never>;

/** A plugin: what it is called, what it can be told, and what it does. */
export interface Plugin<S extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined> {
  /** Lower-case letters, digits and dashes, with an npm scope or without. Unique in a host. */
  readonly name: string;
  /** Semantic version. */
  readonly version: string;
  /** Schema of the configuration (zod, valibot, arktype, …): its output is `context.config`. */
  readonly config?: S;
  /** Which world it was written for; decides its place among others. Default `native`. */
  readonly dialect?: Dialect;
  /** What it does, by hook. */
  readonly hooks?: { readonly [H in HookName]?: Implementation<Hooks, H, ConfigOf<S>> };
  /** What it provides, by capability: the same as a handler of that hook. */
  readonly provides?: { readonly [H in CapabilityName]?: Handler<Hooks, H, ConfigOf<S>> };
}

/**
 * Defines a plugin. Payloads, answers and `context.config` get their types from the hook table and the config
 * schema; a misspelt hook or field does not compile. Does nothing else: plain JavaScript may export the object.
 */
export function definePlugin<const S extends StandardSchemaV1 | undefined = undefined>(plugin: Plugin<S>): Plugin<S> {
  return plugin;
}

/** Any plugin, whatever its configuration. */
export type AnyPlugin = Omit<Plugin<never>, 'config'> & { readonly config?: StandardSchemaV1 | undefined };
