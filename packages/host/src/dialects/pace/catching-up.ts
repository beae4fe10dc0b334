import type { LedgerStore } from '../../ledger/index.ts';

/** How long a plugin is waited for, in all, until it has caught up: one that is slower gets its events late. */
const patienceMs = 10_000;
/** No plugin is owed more than so many of one day at a time. */
const most = 64;

/**
 * Keeps the order of PACE: a plugin is asked before the next agent only when it has been told what came before. Events that
 * are only watched are delivered when they can be, so that without this AFTER_GATE might come after BEFORE_SENTINEL.
 */
export class CatchingUp {
  readonly #ledger: LedgerStore;
  readonly #left = new Map<string, number>();

  constructor(ledger: LedgerStore) {
    this.#ledger = ledger;
  }

  /** Resolves when a plugin has been told everything before an event, or when patience with it is at an end. */
  async before(plugin: string, event_id: string): Promise<void> {
    const seq = (await this.#ledger.event(event_id))?.seq;
    if (seq === undefined) return;
    const left = this.#left.get(plugin) ?? patienceMs;
    const start = performance.now();
    let isLate = left <= 0;
    let news = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      isLate = true;
      news.resolve();
    }, left);
    const unhear = this.#ledger.on('settled', (delivery) => {
      if (delivery.plugin === plugin) news.resolve();
    });
    try {
      let isBehind = await this.#isOwed(plugin, seq);
      while (isBehind && !isLate) {
        await news.promise;
        news = Promise.withResolvers<void>();
        isBehind = await this.#isOwed(plugin, seq);
      }
      this.#left.set(plugin, isBehind ? left - (performance.now() - start) : patienceMs);
    } finally {
      clearTimeout(timer);
      unhear();
    }
  }

  async #isOwed(plugin: string, seq: number): Promise<boolean> {
    const owed = await this.#ledger.owed(plugin, { limit: most });
    return owed.some(({ delivery, event }) => event.seq < seq && !delivery.awaited);
  }
}
