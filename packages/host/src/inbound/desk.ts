import { hash } from 'node:crypto';
import type { EventPayload, InboundRequest } from 'patchbay-sdk';
import { v7 } from 'uuid';
import { type Delivery, newEvent } from '../ledger/index.ts';
import type { Service } from '../service.ts';
import { Gathering } from './gathering.ts';
import { type Handled, handle, keptReply } from './handling.ts';
import { isLeased, Leases } from './leases.ts';
import type { InboundLimits } from './limits.ts';
import type { Numbering } from './proof/scheme.ts';
import { queueOf } from './queues.ts';
import { Refused, type Reply, refuse } from './reply.ts';
import type { Route, Routes } from './routes.ts';
import type { RunStarts } from './run-starts.ts';
import { Settler } from './settler.ts';

/** A verified request. */
export interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly payload: unknown;
  readonly numbering: Numbering;
}

/** What a desk works with. */
export interface DeskParts {
  readonly service: Pick<Service, 'ledger' | 'emitter' | 'emit'>;
  readonly routes: Routes;
  readonly starts: RunStarts;
  readonly limits: InboundLimits;
  /** Whether other hosts take requests too. */
  readonly areMany: boolean;
}

const stored: Reply = { status: 202, body: '{"status":"stored"}' };

/**
 * The id of the event of a request, the same whenever its sender calls it the same. It begins as the sender's does: most count
 * up in some way, and an index that grows at its end costs a fraction of one that grows everywhere.
 */
function eventIdOf({ mark }: Route, key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? `${mark}.${key}` : `${mark}.~${hash('sha256', key)}`;
}

/** Stores requests, has each handled, and remembers what came of it: the same one again is answered, not handled. */
export class Desk {
  readonly #parts: DeskParts;
  readonly #gathering = new Gathering();
  readonly #settler: Settler;
  readonly #leases: Leases;
  /** Requests that are being handled, or whose end is not durable yet: then with the reply. By event. */
  readonly #open = new Map<string, Reply | undefined>();
  /** How many handlers are at work, by path. */
  readonly #busy = new Map<string, number>();

  constructor(parts: DeskParts) {
    const { service, limits, areMany } = parts;
    this.#parts = parts;
    this.#settler = new Settler(service.ledger);
    this.#leases = new Leases({ ledger: service.ledger, areMany, leaseMs: limits.leaseMs });
  }

  /**
   * Takes a request: it is durable when this resolves, with what its handler answers, or with word that it is stored if that
   * takes too long. Rejects with what is to be answered if it was not taken.
   */
  async take(route: Route, arrived: Arrived): Promise<Reply> {
    const { key } = arrived.numbering;
    const event_id = key === null ? v7() : eventIdOf(route, key);
    if (this.#open.has(event_id)) {
      const reply = this.#open.get(event_id);
      return reply === undefined ? refuse('IN_PROGRESS') : { ...reply, headers: { 'idempotent-replayed': 'true' } };
    }
    if ((this.#busy.get(route.path) ?? 0) >= this.#parts.limits.atOnce) throw new Refused('BUSY');
    this.#begin(route, event_id);
    let delivery: Delivery | Reply;
    try {
      delivery = await this.#store(route, event_id, arrived);
    } catch {
      this.#end(route, event_id);
      throw new Refused('STORAGE');
    }
    if (!('id' in delivery)) {
      this.#end(route, event_id);
      return delivery;
    }
    const { headers, body: raw, payload } = arrived;
    return this.#handle(route, delivery.id, event_id, { path: route.path, payload, headers, raw });
  }

  /**
   * Handles a request that was stored before, unless another host does. Resolves when it has been, or takes too long to be waited
   * for. Throws what the ledger throws.
   */
  async again(route: Route, delivery: Delivery, event: EventPayload<'webhook:received'>): Promise<void> {
    const { id, event_id } = delivery;
    if (this.#open.has(event_id)) return;
    this.#begin(route, event_id);
    let isTaken = false;
    try {
      isTaken = await this.#leases.take(delivery);
    } finally {
      if (!isTaken) this.#end(route, event_id);
    }
    if (!isTaken) return;
    const { path, headers, body: raw } = event;
    await this.#handle(route, id, event_id, { path, payload: JSON.parse(raw), headers, raw });
  }

  /** Writes down how requests ended that have. */
  async close(): Promise<void> {
    await this.#settler.close();
    await this.#leases.close();
  }

  /** What is to be handled; or, if it was before, what is to be answered. */
  async #store(route: Route, event_id: string, { headers, body, numbering }: Arrived): Promise<Delivery | Reply> {
    const { plugin, path } = route;
    const { emitter, ledger } = this.#parts.service;
    const queue = queueOf(plugin);
    const { version, digest } = emitter.edition(plugin);
    const event = newEvent('webhook:received', { event_id, plugin, path, delivery_id: numbering.id, headers, body });
    await this.#gathering.join();
    const due_at = this.#leases.until;
    const owes = [
      { plugin: queue, handler: path, awaited: true, due_at, version, digest },
      ...emitter.owes(event.event),
    ];
    const { deliveries, known } = await ledger.append(event, owes, { isChecked: true });
    const delivery = deliveries.find((one) => one.plugin === queue);
    if (delivery === undefined) return keptReply(null);
    if (!known) {
      this.#leases.hold(delivery);
      return delivery;
    }
    // Its sender was told that it failed, and tries again.
    if (delivery.status === 'failed') return (await this.#leases.take(delivery)) ? delivery : refuse('IN_PROGRESS');
    if (isLeased(delivery)) return refuse('IN_PROGRESS');
    return delivery.status === 'owed' ? stored : keptReply(delivery.annotations);
  }

  #handle(route: Route, delivery: string, event_id: string, request: InboundRequest): Reply | Promise<Reply> {
    const { starts, limits } = this.#parts;
    const handling = starts.within(event_id, route.path, () => handle(route, request, limits.giveUpMs));
    if (!(handling instanceof Promise)) return this.#handled(route, delivery, event_id, handling);
    const handled = handling.then((its) => this.#handled(route, delivery, event_id, its));
    const { promise: late, resolve } = Promise.withResolvers<Reply>();
    const timer = setTimeout(() => resolve(stored), limits.handlerMs);
    return Promise.race([handled, late]).finally(() => clearTimeout(timer));
  }

  #handled(route: Route, delivery: string, event_id: string, { reply, settlement, gone }: Handled): Reply {
    const { service, routes } = this.#parts;
    this.#busy.set(route.path, (this.#busy.get(route.path) ?? 1) - 1);
    this.#open.set(event_id, reply);
    const { plugin, path: handler } = route;
    const hidden = settlement.message == null ? null : service.emitter.edition(plugin).hide(settlement.message);
    const kept = hidden === null ? settlement : { ...settlement, message: hidden };
    this.#settler.settle(delivery, kept, () => {
      this.#open.delete(event_id);
      this.#leases.release(delivery);
    });
    if (settlement.status === 'failed') {
      const about = { delivery_id: delivery, plugin, handler, error: hidden ?? 'failed' };
      service.emit('delivery:failed', about).catch(() => {});
    }
    if (gone) routes.renew(route).catch(() => {});
    return reply;
  }

  #begin(route: Route, event_id: string): void {
    this.#open.set(event_id, undefined);
    this.#busy.set(route.path, (this.#busy.get(route.path) ?? 0) + 1);
  }

  #end(route: Route, event_id: string): void {
    this.#open.delete(event_id);
    this.#busy.set(route.path, (this.#busy.get(route.path) ?? 1) - 1);
  }
}
