import type { DatabaseSync } from 'node:sqlite';
import { PatchbayError } from 'patchbay-sdk';
import { fault, isStorageFault } from './fault.ts';
import type { Head } from './head.ts';

/** A change that waits for its transaction. */
interface Change {
  readonly act: () => unknown;
  readonly told: ((value: never) => void) | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: PatchbayError };

/** So much is written at once, without waiting for more: a flood of changes nobody waits for needs no more memory. */
const mostChanges = 512;
const mostCharacters = 4_000_000;

/**
 * Writes changes in groups: those asked for in one turn of the event loop share a transaction, and so one wait for the
 * disk. Each resolves after that, in order.
 */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #head: Head;
  #waiting: Change[] = [];
  #characters = 0;
  #timer: NodeJS.Immediate | undefined;

  constructor(db: DatabaseSync, file: string, head: Head) {
    this.#db = db;
    this.#file = file;
    this.#head = head;
  }

  /**
   * Has `act` done in a transaction and `told` called with what it gives once that is durable. An `act` may be called
   * twice, the first time undone. It may throw a `PatchbayError` as long as it has not changed anything.
   */
  write<T>(
    act: () => T,
    { told, characters = 0 }: { told?: (value: T) => void; characters?: number } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ act, told, resolve, reject });
      this.#characters += characters;
      if (this.#waiting.length >= mostChanges || this.#characters >= mostCharacters) this.flush();
      else this.#timer ??= setImmediate(() => this.flush());
    });
  }

  /** Writes what waits, now. Never throws: each change hears of its own fate. */
  flush(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    const changes = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    if (changes.length === 0) return;
    const outcomes = this.#outcomes(changes);
    for (let i = 0; i < changes.length; i++) tell(changes[i] as Change, outcomes[i] as Outcome);
  }

  #outcomes(changes: readonly Change[]): Outcome[] {
    try {
      return this.#transact(changes);
    } catch (error) {
      // One of them is at fault: each on its own, so that the others do not pay for it.
      if (changes.length > 1 && !isStorageFault(error)) return changes.flatMap((change) => this.#outcomes([change]));
      return changes.map(() => ({ error: fault(error, this.#file, 'written') }));
    }
  }

  #transact(changes: readonly Change[]): Outcome[] {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#head.load();
      const outcomes = changes.map(outcomeOf);
      this.#head.save();
      this.#db.exec('COMMIT');
      return outcomes;
    } finally {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    }
  }
}

function tell({ told, resolve, reject }: Change, outcome: Outcome): void {
  if ('error' in outcome) {
    reject(outcome.error);
    return;
  }
  resolve(outcome.value as never);
  told?.(outcome.value as never);
}

function outcomeOf({ act }: Change): Outcome {
  try {
    return { value: act() };
  } catch (error) {
    if (error instanceof PatchbayError) return { error };
    throw error;
  }
}
