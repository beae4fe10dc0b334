import { setTimeout as sleep } from 'node:timers/promises';
import type { Ended, LedgerStore, Settlement } from '../ledger/index.ts';

/** For so long what was settled waits for something to be written along with; as much may be handled again after a crash. */
const patienceMs = 50;
const retryMs = 1000;

interface Waiting extends Ended {
  readonly written: () => void;
}

/**
 * Writes down how deliveries ended, a while later and many at a time, if possible along with the next requests: that a request
 * came is durable already, and a crash before it is written how it was handled only has it handled again.
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
    this.#timer ??= setTimeout(() => this.flush(), patienceMs);
  }

  /** Has what waits written, in one transaction with what is appended in the same turn of the event loop. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const writing = this.#write(this.#waiting).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    this.#waiting = [];
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.flush();
    await Promise.all(this.#writing);
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    for (;;) {
      try {
        await this.#ledger.settleAll(waiting);
        for (const { written } of waiting) written();
        return;
      } catch (error) {
        // They stay owed then, and are handled again by the next host.
        if (this.#closing.signal.aborted) return;
        const message = `${waiting.length} deliveries could not be written down: ${String(error)}`;
        process.emitWarning(message, 'PatchbayWarning');
        await sleep(retryMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
      }
    }
  }
}
