import type * as z from 'zod/mini';

/**
 * How the handlers of a hook are called and what becomes of their answers.
 *
 * - `notify`: every handler, in order; answers are only looked at for a verdict.
 * - `collect`: every handler, in order; the non-null answers as an array.
 * - `first`: in order until one answers something other than null; that answer.
 * - `merge`: every handler answers an object; one object, by key the last registered plugin wins, conflicts told.
 * - `waterfall`: each handler may answer a new payload, the next one gets it; the last one, with its authors.
 */
export type HookKind = 'notify' | 'collect' | 'first' | 'merge' | 'waterfall';

/**
 * What a failing handler means.
 *
 * - `soft`: the failure is recorded under the plugin's name and the others are called all the same.
 * - `closed`: a crash, a timeout or a nonsensical answer refuses what the hook asks about.
 */
export type FailurePolicy = 'soft' | 'closed';

/** A schema of ours: validation at run time, a type at compile time, JSON Schema for the docs. */
export type Schema<T = unknown> = z.ZodMiniType<T>;

/** One row of a hook table: everything the kernel, the types, the docs and the command line know of a hook. */
export interface HookRow<P = unknown, A = unknown> {
  readonly kind: HookKind;
  readonly failure: FailurePolicy;
  /** Milliseconds a handler may take before it is aborted and counted as failed. */
  readonly deadlineMs: number;
  /** What every handler is given. Frozen all the way down before the first handler sees it. */
  readonly payload: Schema<P>;
  /** What a handler may answer; `null`: answers are not looked at. Null and undefined are always allowed. */
  readonly answer: Schema<A> | null;
  /** One sentence: when it is called and what for. */
  readonly doc: string;
  /** The version of Patchbay that first had it. */
  readonly since: string;
  /** Calls are remembered and replayed to plugins that come later. Not possible for `first` and `waterfall`. */
  readonly historic?: boolean;
  /** Set to say what to use instead; a plugin that implements the hook gets a warning. */
  readonly deprecated?: string;
  /** `false` leaves the payload as it is: for hooks called so often, on objects so private, that freezing costs. */
  readonly frozen?: boolean;
}

/** A hook table: name to row. The product's own is `hooks`; tests and benchmarks bring theirs. */
export type HookTable = Readonly<Record<string, HookRow>>;

/** The payload type of hook `H` in table `T`. */
export type PayloadOf<T extends HookTable, H extends keyof T> = z.output<T[H]['payload']>;

/** What a handler of hook `H` may answer, apart from nothing at all. */
export type AnswerOf<T extends HookTable, H extends keyof T> = T[H]['answer'] extends Schema
  ? z.output<T[H]['answer']>
  : unknown;

/** What calling a `merge` hook gives. */
export interface Merged<V> {
  /** Key to value, of the plugin registered last among those that gave the key. No prototype. */
  readonly entries: Readonly<Record<string, V>>;
  /** Key to the plugin whose value stands. */
  readonly owners: Readonly<Record<string, string>>;
  /** The keys that more than one plugin gave. */
  readonly conflicts: readonly { readonly key: string; readonly winner: string; readonly losers: readonly string[] }[];
}

type ValueOf<A> = A extends Readonly<Record<string, infer V>> ? V : never;

/** What calling hook `H` gives, by its kind. */
export type ResultOf<T extends HookTable, H extends keyof T> = {
  notify: undefined;
  collect: AnswerOf<T, H>[];
  first: AnswerOf<T, H> | null;
  merge: Merged<ValueOf<AnswerOf<T, H>>>;
  waterfall: PayloadOf<T, H>;
}[T[H]['kind']];
