import { type EventName, type EventPayload, eventHooks, type Hooks, PatchbayError, type Payload } from 'patchbay-sdk';
import { type CallRecord, type Interceptor, type Kernel, newRecord } from '../kernel/index.ts';
import type { Delivery, LedgerStore, Owed, StoredEvent } from '../ledger/index.ts';
import type { Rights } from './sending/rights.ts';
import { settlementOf } from './settlement.ts';

/** Which version of a plugin, in which files, is called. */
export interface Edition {
  readonly version: string | null;
  readonly digest: string | null;
  /** Takes the secrets it was given out of what it says. */
  readonly hide: <T>(value: T) => T;
  /** How the host sends for it; null while the plugin is kept from running. */
  readonly rights: Rights | null;
}

/** How an event is emitted. */
export interface EmitOptions {
  readonly after?: number | string;
  readonly appended?: (event: StoredEvent) => void;
}

/** What emitting an event came to. */
export interface Emitted<E extends EventName = EventName> {
  readonly event: StoredEvent;
  /** As the handlers of a `waterfall` left it. */
  readonly payload: EventPayload<E>;
  /** Who changed it. */
  readonly changes: CallRecord['changes'];
}

/**
 * Writes events down and calls those who may refuse them. Those who only watch are owed a delivery, which `Lanes` make
 * when the event is durable.
 */
export class Emitter {
  readonly #kernel: Kernel<Hooks>;
  readonly #store: LedgerStore;
  readonly #editionOf: (plugin: string) => Edition;
  /** Events whose handlers are being asked right now. */
  readonly #asking = new Set<number>();

  constructor(kernel: Kernel<Hooks>, store: LedgerStore, editionOf: (plugin: string) => Edition) {
    this.#kernel = kernel;
    this.#store = store;
    this.#editionOf = editionOf;
  }

  /**
   * Makes an event durable, with the deliveries it owes. For one that may be refused, asks its handlers then, and throws
   * HOOK_REFUSED if one of them refuses or fails. Emitting an event of the same id again asks again, under the same
   * keys. With `after`, throws RUN_MOVED if that is not the last step of its run. `appended` hears of it when it is durable,
   * before anybody is asked.
   */
  async emit<E extends EventName>(
    payload: EventPayload<E>,
    { after, appended }: EmitOptions = {},
  ): Promise<Emitted<E>> {
    const name = payload.event as E;
    const awaited = eventHooks[name].failure === 'closed';
    const owes = this.owes(name);
    const { event, deliveries } = await this.#store.append(payload, owes, after === undefined ? {} : { after });
    appended?.(event);
    if (!awaited) return { event, payload, changes: [] };
    this.#asking.add(event.seq);
    try {
      return await this.#ask<E>(event, deliveries, payload);
    } finally {
      this.#asking.delete(event.seq);
    }
  }

  /** What an event of this name owes, and to whom. */
  owes(name: EventName): Owed[] {
    const hook = this.#kernel.hook(name);
    const awaited = eventHooks[name].failure === 'closed';
    // Wrappers around an event that is only watched are called like handlers, when its deliveries are made.
    const entries = awaited ? hook.handlers() : [...hook.wrappers(), ...hook.handlers()];
    return entries.map(({ plugin, id: handler }) => {
      const { version, digest } = this.#editionOf(plugin);
      return { plugin, handler, awaited, version, digest };
    });
  }

  /** Which edition of a plugin is there now. */
  edition(plugin: string): Edition {
    return this.#editionOf(plugin);
  }

  /** Whether the handlers of this event are being asked right now, so that its deliveries are nobody else's business. */
  isAsking(seq: number): boolean {
    return this.#asking.has(seq);
  }

  async #ask<E extends EventName>(
    event: StoredEvent,
    deliveries: readonly Delivery[],
    payload: EventPayload<E>,
  ): Promise<Emitted<E>> {
    const record = newRecord();
    const seen = new Map<string, { answer: unknown; durationMs: number }>();
    const watch: Interceptor = ({ plugin, handler }) => {
      const start = performance.now();
      return (_, answer) => seen.set(placeOf(plugin, handler), { answer, durationMs: performance.now() - start });
    };
    const keys = new Map(deliveries.map(({ plugin, handler, key }) => [placeOf(plugin, handler), key]));
    const key = (plugin: string, handler: string) => keys.get(placeOf(plugin, handler));
    const hook = this.#kernel.hook(payload.event as E);
    let refusal: PatchbayError | undefined;
    let result: unknown;
    try {
      result = await hook.attend(payload as Payload<E>, { record, key }, watch);
    } catch (error) {
      if (!(error instanceof PatchbayError)) throw error;
      refusal = error;
    }
    await Promise.all(deliveries.map((delivery) => this.#settle(delivery, seen, record, refusal)));
    if (refusal !== undefined) throw refusal;
    const rewritten = eventHooks[event.type].kind === 'waterfall' ? (result as EventPayload<E>) : payload;
    return { event, payload: rewritten, changes: record.changes };
  }

  #settle(
    { id, plugin, handler }: Delivery,
    seen: ReadonlyMap<string, { answer: unknown; durationMs: number }>,
    record: CallRecord,
    refusal: PatchbayError | undefined,
  ): Promise<unknown> {
    const its = (one: PatchbayError) => one.plugin === plugin && one.handler === handler;
    const failure = record.failures.find(its);
    const handled = seen.get(placeOf(plugin, handler));
    if (handled === undefined && failure === undefined) {
      const message = `was not asked: ${refusal?.plugin ?? 'another plugin'} had refused`;
      return this.#store.settle(id, { status: 'skipped', message });
    }
    const { answer, durationMs } = handled ?? { answer: undefined, durationMs: 0 };
    const own = refusal !== undefined && its(refusal) ? refusal : undefined;
    return this.#store.settle(id, settlementOf({ answer, failure, refusal: own, durationMs }, this.#editionOf(plugin)));
  }
}

function placeOf(plugin: string, handler: string): string {
  return JSON.stringify([plugin, handler]);
}
