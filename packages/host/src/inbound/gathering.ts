import type { Appended, LedgerStore } from '../ledger/index.ts';

type Append = Parameters<LedgerStore['append']>;

interface Waiting {
  readonly append: Append;
  readonly done: (appended: Appended) => void;
  readonly failed: (error: unknown) => void;
}

/** So many are written without waiting for more. */
const enough = 64;
/** For so many turns of the event loop at the most, the first of them waits for others. */
const mostTurns = 8;

/**
 * Appends events to the ledger in groups: as long as each turn of the event loop brings more, and for a few turns only, it
 * waits, so that more of them share one wait for the disk. One that comes alone waits for a turn.
 */
export class Gathering {
  readonly #ledger: LedgerStore;
  #waiting: Waiting[] = [];

  constructor(ledger: LedgerStore) {
    this.#ledger = ledger;
  }

  /** See `LedgerStore.append`. */
  append(...append: Append): Promise<Appended> {
    if (this.#waiting.length === 0) setImmediate(() => this.#turn(0, mostTurns));
    return new Promise((done, failed) => this.#waiting.push({ append, done, failed }));
  }

  #turn(before: number, left: number): void {
    const { length } = this.#waiting;
    if (length > before && length < enough && left > 0) {
      setImmediate(() => this.#turn(length, left - 1));
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { append, done, failed } of waiting) this.#ledger.append(...append).then(done, failed);
  }
}
