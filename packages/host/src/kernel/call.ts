import type { PatchbayError } from 'patchbay-sdk';

/** One handler's rewriting of a waterfall's payload. Both values are frozen: they can be kept. */
export interface Change {
  readonly plugin: string;
  readonly handler: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What happened in a call, filled in while it happens. */
export interface CallRecord {
  /** Everything that was answered, in order, with its author. */
  readonly answers: { readonly plugin: string; readonly handler: string; readonly answer: unknown }[];
  /** Who changed a waterfall's payload, in order. */
  readonly changes: Change[];
  /** Which handlers failed or were left out as paused. */
  readonly failures: PatchbayError[];
}

/** What a caller may say about a call. */
export interface Call {
  /** The run it is about: every failure names it. */
  readonly run?: string | undefined;
  /** The key under which a handler's work on this call is known, however often it is repeated. */
  readonly key?: ((plugin: string, handler: string) => string | undefined) | undefined;
  /** Filled in if given. */
  readonly record?: CallRecord | undefined;
  /** Historic hooks only: gets the answers of plugins that come later. */
  readonly late?: ((answer: unknown, plugin: string) => void) | undefined;
}

/** An empty record to pass along with a call. */
export function newRecord(): CallRecord {
  return { answers: [], changes: [], failures: [] };
}
