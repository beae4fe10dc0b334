import { setTimeout as sleep } from 'node:timers/promises';
import type { Hooks, PatchbayError } from 'patchbay-sdk';
import { type Entry, type Interceptor, type Kernel, newRecord } from '../kernel/index.ts';
import type { AnyPayload, LedgerStore, Settlement } from '../ledger/index.ts';
import type { Edition } from './emitter.ts';
import { type Handled, settlementOf } from './settlement.ts';

/** A delivery that is to be made now, with its event. */
export type Due = Awaited<ReturnType<LedgerStore['owed']>>[number];

/** What a lane needs of those around it. */
export interface Street {
  readonly kernel: Kernel<Hooks>;
  readonly store: LedgerStore;
  readonly editionOf: (plugin: string) => Edition;
  /** Whether this host delivers to a plugin, and not another one. */
  isOurs(plugin: string): Promise<boolean>;
  /** Whether somebody else is making this delivery right now. */
  isTaken(due: Due): boolean | Promise<boolean>;
  /** Waits, for a while, for the handlers of other plugins that come before this one. */
  ahead(due: Due): Promise<void>;
  /** Hears of a delivery that failed and will not be tried again. */
  failed(due: Due, message: string | null): Promise<void>;
}

/** So many deliveries are taken from the ledger at a time; as many may be repeated after a crash. */
const batch = 16;
/** How long others wait for a plugin, in all, until it has caught up: a slow one delays itself only. */
const fullPatienceMs = 1000;
/** How long a delivery under way is waited for when the host goes. */
const closeMs = 2000;
/** When the ledger could not be written, it is tried again after so long. */
const retryMs = 1000;

/**
 * The deliveries of one plugin, one after the other in the order of their events. Holds a few of them at a time; the
 * rest waits in the ledger.
 */
export class Lane {
  readonly #plugin: string;
  readonly #street: Street;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #woken = false;
  #paused = false;
  #patienceMs = fullPatienceMs;
  /** The last delivery that was made. */
  #done: Place = { seq: -1, n: 0 };
  /** Kept whenever a delivery ends or the lane comes to rest. */
  #step = Promise.withResolvers<void>();

  constructor(plugin: string, street: Street) {
    this.#plugin = plugin;
    this.#street = street;
  }

  /** There may be something to deliver. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    this.#woken = true;
    this.#running ??= this.#run();
  }

  /** Whether nothing is under way, or nothing can be done until a paused handler is tried again. */
  get isAtRest(): boolean {
    return this.#running === undefined || this.#paused;
  }

  /** Resolves when the lane is at rest. */
  async rest(): Promise<void> {
    while (!this.isAtRest) await this.#step.promise;
  }

  /** Takes nothing new and waits for what is under way, a while; a delivery that does not end by then stays owed. */
  async close(): Promise<void> {
    this.#closing.abort();
    const timer = sleep(closeMs, undefined, { ref: false });
    await Promise.race([this.#running, timer]);
  }

  /** Resolves when a delivery of this lane has been made, when it cannot be made now, or when patience is at an end. */
  async reached(place: Place): Promise<void> {
    const isOpen = () => !this.isAtRest && this.#patienceMs > 0 && isBefore(this.#done, place);
    if (!isOpen()) return;
    const start = performance.now();
    let isLate = false;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, this.#patienceMs);
    while (!isLate && isOpen()) await Promise.race([this.#step.promise, late]);
    clearTimeout(timer);
    this.#patienceMs -= performance.now() - start;
  }

  async #run(): Promise<void> {
    try {
      while (this.#woken && !this.#closing.signal.aborted) {
        this.#woken = false;
        if (!(await this.#street.isOurs(this.#plugin))) return;
        const dues = await this.#street.store.owed(this.#plugin, { limit: batch });
        const free = await this.#free(dues);
        const written: Promise<void>[] = [];
        for (const due of free) {
          if (!this.#closing.signal.aborted) await this.#deliver(due, written);
        }
        await Promise.all(written);
        if (dues.length === batch && free.length > 0) this.#woken = true;
      }
    } catch (error) {
      process.emitWarning(`the deliveries of plugin "${this.#plugin}" stopped: ${String(error)}`, 'PatchbayWarning');
    } finally {
      this.#running = undefined;
      this.#patienceMs = fullPatienceMs;
      this.#stepped();
    }
  }

  async #free(dues: readonly Due[]): Promise<readonly Due[]> {
    const free: Due[] = [];
    for (const due of dues) {
      const isTaken = this.#street.isTaken(due);
      // Seldom anybody has to be asked, and there may be very many.
      if (!(typeof isTaken === 'boolean' ? isTaken : await isTaken)) free.push(due);
    }
    return free;
  }

  async #deliver(due: Due, written: Promise<void>[]): Promise<void> {
    const { kernel, ahead, failed } = this.#street;
    const { delivery, event } = due;
    const entry = kernel.hook(event.type).find(delivery.plugin, delivery.handler);
    await ahead(due);
    const settlement: Settlement | undefined =
      entry === undefined
        ? { status: 'cancelled', message: 'the plugin no longer has this handler' }
        : await this.#call(entry, due, written);
    // What failed because the host goes has not failed.
    if (settlement === undefined || (this.#closing.signal.aborted && settlement.status === 'failed')) return;
    this.#done = placeOf(delivery.id);
    this.#stepped();
    written.push(this.#settle(delivery.id, settlement));
    if (settlement.status === 'failed') written.push(failed(due, settlement.message ?? null));
  }

  /** Calls the handler; if it is paused, when that is over. Undefined if the lane was closed before. */
  async #call(entry: Entry, due: Due, written: readonly Promise<void>[]): Promise<Settlement | undefined> {
    for (;;) {
      if (this.#closing.signal.aborted) return undefined;
      const waitMs = entry.pausedFor();
      if (waitMs === 0) {
        const handled = await callOne(this.#street.kernel, entry, due.event.payload, due.delivery.key);
        if (handled.failure?.code !== 'HANDLER_PAUSED') {
          const settlement = settlementOf(handled, this.#street.editionOf(this.#plugin));
          if (settlement.status === 'sending') return settlement;
          return { ...settlement, attempts: due.delivery.attempts + (settlement.attempts ?? 1) };
        }
      }
      // Whoever waits for rest sees how the deliveries before ended.
      await Promise.all(written);
      await this.#pause(Math.max(waitMs, 20));
    }
  }

  async #pause(ms: number): Promise<void> {
    this.#paused = true;
    this.#stepped();
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    this.#paused = false;
  }

  /** Writes the end of a delivery down. It was made: if that fails, it is not made again, but written down later. */
  async #settle(id: string, settlement: Settlement): Promise<void> {
    for (;;) {
      try {
        await this.#street.store.settle(id, settlement);
        return;
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        process.emitWarning(`delivery ${id} could not be written down: ${String(error)}`, 'PatchbayWarning');
        await sleep(retryMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
      }
    }
  }

  #stepped(): void {
    const { resolve } = this.#step;
    this.#step = Promise.withResolvers<void>();
    resolve();
  }
}

/** Where a delivery stands among all. */
interface Place {
  readonly seq: number;
  readonly n: number;
}

/** Where the delivery of an id stands. */
export function placeOf(id: string): Place {
  const [seq, n] = id.split('.').map(Number);
  return { seq: seq ?? 0, n: n ?? 0 };
}

function isBefore(a: Place, b: Place): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.n < b.n);
}

/** Calls one handler for one event, under the key of its delivery. */
export async function callOne(kernel: Kernel<Hooks>, entry: Entry, payload: AnyPayload, key: string): Promise<Handled> {
  const record = newRecord();
  let answer: unknown;
  let refusal: PatchbayError | undefined;
  const watch: Interceptor = () => (_, answered) => {
    answer = answered;
  };
  const start = performance.now();
  try {
    await kernel.hook(payload.event).callOne(entry, payload as never, { record, key: () => key }, watch);
  } catch (error) {
    refusal = error as PatchbayError;
  }
  return { answer, failure: record.failures[0], refusal, durationMs: performance.now() - start };
}
