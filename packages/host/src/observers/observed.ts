import { setTimeout as sleep } from 'node:timers/promises';
import { type EventBus, messageOf, type Observer } from 'patchbay-sdk';
import { inTime, Late } from '../capabilities/in-time.ts';
import type { LedgerStore } from '../ledger/index.ts';
import { type Told, viewOf } from './views.ts';

/** What one observer is told with. */
export interface ObservedParts {
  readonly plugin: string;
  readonly observer: Observer;
  readonly ledger: LedgerStore;
  /** Only what came after this. */
  readonly after: number;
  readonly warn: (message: string) => void;
  /** How long a listener may take over one event. @default 30000 */
  readonly listenerMs?: number;
}

interface Subscription {
  readonly name: string;
  readonly listener: (told: Told) => void | Promise<void>;
}

/** So many subscriptions are more than anybody needs. */
const mostSubscriptions = 1000;
/** So much of what is no event waits at the most; what is beyond is not told. */
const mostNews = 10_000;
/** One that does not come back so often in a row is told nothing more. */
const mostHangs = 3;
const retryMs = 1000;

/**
 * Tells one observer what happens: one thing after the other, the next one when it is done with the last. It reads the ledger
 * at its own pace, so that one that is slow has nothing kept for it, and keeps nobody waiting.
 */
export class Observed {
  readonly #parts: ObservedParts;
  readonly #subscriptions = new Set<Subscription>();
  readonly #stopping = new AbortController();
  readonly #news: { readonly name: string; readonly told: Told }[] = [];
  #following: Promise<void> | undefined;
  #telling: Promise<void> = Promise.resolve();
  #seen: number;
  #hangs = 0;
  #skipped = 0;

  constructor(parts: ObservedParts) {
    this.#parts = parts;
    this.#seen = parts.after;
  }

  /** Has it subscribe. Rejects as it does, or if that takes too long. */
  async start(): Promise<void> {
    const bus: EventBus = {
      subscribe: (name, listener) => {
        if (typeof name !== 'string' || typeof listener !== 'function') {
          throw new TypeError('subscribe takes the name of an event, or "*", and a function');
        }
        if (this.#subscriptions.size >= mostSubscriptions) throw new Error('there are too many subscriptions');
        const subscription: Subscription = { name, listener };
        this.#subscriptions.add(subscription);
        return () => void this.#subscriptions.delete(subscription);
      },
    };
    await this.#inTime(() => this.#parts.observer.subscribe(bus));
    this.#following = this.#follow();
  }

  /** Tells what is no event of the ledger, to those who ask for it by name. */
  tell(name: string, told: Told): void {
    if (this.#stopping.signal.aborted || !this.#wants(name)) return;
    if (this.#news.length >= mostNews) {
      if (this.#skipped++ === 0) this.#warn('is too slow; some of what is no event is not told to it');
      return;
    }
    this.#news.push({ name, told });
    if (this.#news.length === 1) this.#telling = this.#telling.then(() => this.#tellNews());
  }

  /** Tells it what happened up to this place, as far as it takes that within the time; then it is closed. Never rejects. */
  async close(upTo: number, withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    while (this.#following !== undefined && this.#seen < upTo && performance.now() < until && !this.#isDeaf) {
      await sleep(5);
    }
    const left = Math.max(until - performance.now(), 1000);
    await Promise.race([this.#telling, sleep(left, undefined, { ref: false })]);
    this.#stopping.abort();
    try {
      await this.#inTime(() => this.#parts.observer.close());
    } catch (error) {
      this.#warn(`did not close: ${messageOf(error)}`);
    }
  }

  get #isDeaf(): boolean {
    return this.#hangs >= mostHangs || this.#stopping.signal.aborted;
  }

  #wants(name: string): boolean {
    for (const subscription of this.#subscriptions) if (subscription.name === name) return true;
    return false;
  }

  async #follow(): Promise<void> {
    const { ledger } = this.#parts;
    const { signal } = this.#stopping;
    while (!this.#isDeaf) {
      try {
        for await (const event of ledger.follow({ afterSeq: this.#seen }, signal)) {
          for (const { name, listener } of [...this.#subscriptions]) {
            const told = viewOf(name, event);
            if (told !== undefined) await this.#one(listener, told);
          }
          this.#seen = event.seq;
          if (this.#isDeaf) return;
        }
      } catch (error) {
        // The ledger cannot be read now; what is there stays there.
        this.#warn(`cannot be told what happens: ${messageOf(error)}`);
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #tellNews(): Promise<void> {
    for (let next = this.#news[0]; next !== undefined && !this.#isDeaf; next = this.#news[0]) {
      const { name, told } = next;
      for (const subscription of [...this.#subscriptions]) {
        if (subscription.name === name) await this.#one(subscription.listener, told);
      }
      this.#news.shift();
    }
    if (this.#isDeaf) this.#news.length = 0;
  }

  /** The last thing it was told: the next waits for it, whichever of the two ways it comes. */
  #last: Promise<void> = Promise.resolve();

  #one(listener: Subscription['listener'], told: Told): Promise<void> {
    this.#last = this.#last.then(() => this.#listen(listener, told));
    return this.#last;
  }

  async #listen(listener: Subscription['listener'], told: Told): Promise<void> {
    if (this.#isDeaf) return;
    try {
      const done = listener(told);
      if (done instanceof Promise) await this.#inTime(() => done);
      this.#hangs = 0;
    } catch (error) {
      const isLate = error instanceof Late;
      this.#hangs = isLate ? this.#hangs + 1 : 0;
      this.#warn(`${messageOf(error)}${this.#isDeaf ? '; it is told nothing more' : ''}`);
    }
  }

  #inTime<T>(work: () => T | Promise<T>): Promise<T> {
    return inTime(this.#parts.listenerMs ?? 30_000, work);
  }

  #warn(what: string): void {
    const { plugin, observer, warn } = this.#parts;
    warn(`observer "${observer.name}" of plugin "${plugin}": ${what}`);
  }
}
