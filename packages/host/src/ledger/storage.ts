import type { PatchbayError } from 'patchbay-sdk';
import type { Draft } from './draft.ts';
import type { Queries } from './read.ts';
import type { Place } from './statements/place.ts';
import type { Steps } from './statements/steps.ts';
import type { Appended, Elsewhere, Owed, Verified } from './store.ts';

/** An event that is to be appended. */
export interface Append {
  readonly draft: Draft;
  readonly owes: readonly Owed[];
  /** The last step of its run that its maker knows of: its place, or its id. */
  readonly after: number | string | undefined;
}

/** How a change is to be made. */
export interface Writing<T> {
  /** Called with what the change gives once that is durable. */
  readonly told?: (value: T) => void;
  /** About how much text is written. Default: 0. */
  readonly characters?: number;
  /** Nobody may append, prune, or begin a run between the steps of this change. Default: false. */
  readonly alone?: boolean;
  /** The one delivery that it is about: others may be dealt with between its steps. Default: it is about more. */
  readonly about?: Place;
}

/**
 * Where a ledger is kept: what differs from database to database. What reads throws its own errors,
 * which `fault` gives names; what is rejected by those that write has one.
 */
export interface Storage {
  readonly queries: Queries;
  /** Makes steps that change nothing. */
  ask<T>(steps: Steps<T>): T | Promise<T>;
  /**
   * Appends, durably. Throws a `PatchbayError` with the code `RUN_MOVED`, or what storing threw. Changes of both kinds are
   * made in the order in which they were asked for.
   */
  append(append: Append, told: (appended: Appended) => void): Promise<Appended>;
  /** Makes the steps of a change, durably. They may be made twice, the first time undone. */
  write<T>(change: () => Steps<T>, writing?: Writing<T>): Promise<T>;
  /** Recomputes the chain in one state of the ledger; others may write meanwhile. */
  verify(): Promise<Verified>;
  /** Has `hear` called when somebody else may have changed something, with what is known of it. Gives the undo. */
  watch(hear: (what?: Elsewhere) => void): () => void;
  /** An error of the storage under a name of ours; one that has such a name already stays as it is. */
  fault(error: unknown, doing: 'read' | 'written' | 'used'): PatchbayError;
  /** Makes durable, now, what was asked for. */
  flush(): void | Promise<void>;
  /** Lets go of everything. Nothing is asked for afterwards. */
  close(): void | Promise<void>;
}
