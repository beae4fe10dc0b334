import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerStore, Settlement } from '../ledger/index.ts';

/** For so long what was settled is gathered before it is written, all at once. */
const gatherMs = 20;
const retryMs = 1000;

interface Waiting {
  readonly id: string;
  readonly settlement: Settlement;
  readonly written: () => void;
}

/**
 * Writes down how deliveries ended, a while later and many at a time: that a request came is durable already, and a crash
 * before it is written how it was handled only has it handled again.
 */
export class Settler {
  readonly #ledger: LedgerStore;
  readonly #closing = new AbortController();
  readonly #writing = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ledger: LedgerStore) {
    this.#ledger = ledger;
  }

  /** `written` is called when it is durable. */
  settle(id: string, settlement: Settlement, written: () => void): void {
    this.#waiting.push({ id, settlement, written });
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#flush();
    await Promise.all(this.#writing);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const writing = this.#write(this.#waiting).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    this.#waiting = [];
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    for (let left = waiting; left.length > 0; ) {
      const ends = await Promise.allSettled(left.map(({ id, settlement }) => this.#ledger.settle(id, settlement)));
      left = left.filter(({ written }, i) => {
        const isWritten = ends[i]?.status === 'fulfilled';
        if (isWritten) written();
        return !isWritten;
      });
      // What is left then stays owed, and is handled again by the next host.
      if (left.length === 0 || this.#closing.signal.aborted) return;
      process.emitWarning(`${left.length} deliveries could not be written down`, 'PatchbayWarning');
      await sleep(retryMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    }
  }
}
