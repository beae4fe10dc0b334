import type { LedgerStore, StoredEvent } from '../ledger/index.ts';
import { type HourlyLimits, windowMs } from './limits.ts';
import { callIn } from './record.ts';
import type { Taints } from './taints.ts';

/** What calls before this one come to. */
export interface TrailParts {
  readonly ledger: LedgerStore;
  readonly limits: HourlyLimits;
  readonly taints: Taints;
  readonly now: () => number;
}

/** Keeps limits and taints as the ledger has them: read back at the first call, so that a host without tools reads nothing. */
export class Trail {
  readonly #parts: TrailParts;
  #reading: Promise<void> | undefined;
  /** What is heard of in between does not count: there may be others before it. */
  #readUpTo = 0;

  constructor(parts: TrailParts) {
    this.#parts = parts;
  }

  /** Resolves when everything before is counted. Rejects if the ledger cannot be read; the next call tries again. */
  ready(): Promise<void> {
    this.#reading ??= this.#read().catch((error) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  /** Something was appended here. What calls of this process come to, they count themselves. */
  heard(event: StoredEvent): void {
    if (event.type === 'chat:cleared') this.#clear(event);
  }

  /** Another process has appended something. */
  async heardElsewhere(): Promise<void> {
    if (this.#reading !== undefined) await this.#readCleared();
  }

  async #read(): Promise<void> {
    const { ledger, limits, now } = this.#parts;
    await this.#readCleared();
    const calls: { readonly tool: string; readonly at: number }[] = [];
    for await (const event of ledger.events({ type: 'agent:trace', since: new Date(now() - windowMs) })) {
      const call = callIn(event);
      if (call !== undefined && call.decision !== 'refused') calls.push({ tool: call.tool, at: Date.parse(event.at) });
    }
    // Not before all of them are read: should that fail, none is counted twice.
    for (const { tool, at } of calls) limits.count(tool, at);
  }

  async #readCleared(): Promise<void> {
    const { ledger } = this.#parts;
    for await (const event of ledger.events({ type: 'chat:cleared', afterSeq: this.#readUpTo })) {
      this.#clear(event);
      this.#readUpTo = Math.max(this.#readUpTo, event.seq);
    }
  }

  #clear({ seq, payload }: StoredEvent): void {
    if (payload.event === 'chat:cleared') this.#parts.taints.clear(payload.chat_jid, seq);
  }
}
