import { hash } from 'node:crypto';
import type { EventPayload, InboundRequest } from 'patchbay-sdk';
import { v7 } from 'uuid';
import { type Appended, type AppendOptions, type Delivery, newEvent, type Owed } from '../ledger/index.ts';
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

/** Its payload is made here, of parts that are known to fit. */
const asManyCome: AppendOptions = { isChecked: true };
const isStored: Reply = { status: 202, body: '{"status":"stored"}' };

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
  readonly #gathering: Gathering;
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
    this.#gathering = new Gathering(() => this.#settler.flush());
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
    const { plugin, path } = route;
    const { headers, body, payload, numbering } = arrived;
    const event = newEvent('webhook:received', { event_id, plugin, path, delivery_id: numbering.id, headers, body });
    let stored: Delivery | Reply;
    try {
      await this.#gathering.join();
      const appended = await this.#parts.service.ledger.append(event, this.#owes(route), asManyCome);
      stored = appended.known ? await this.#known(route, appended) : this.#held(appended);
    } catch {
      this.#end(route, event_id);
      throw new Refused('STORAGE');
    }
    if ('id' in stored) return this.#handle(route, stored.id, event_id, { path, payload, headers, raw: body });
    this.#end(route, event_id);
    return stored;
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

  /** What a request owes: first that it is handled. */
  #owes({ plugin, path: handler }: Route): Owed[] {
    const { emitter } = this.#parts.service;
    const { version, digest } = emitter.edition(plugin);
    const handling = { plugin: queueOf(plugin), handler, awaited: true, due_at: this.#leases.until, version, digest };
    return [handling, ...emitter.owes('webhook:received')];
  }

  /** The delivery of a request that came for the first time. */
  #held({ deliveries: [delivery] }: Appended): Delivery {
    if (delivery === undefined) throw new Error('a request is owed to its handler');
    this.#leases.hold(delivery);
    return delivery;
  }

  /** What is to be answered to a request that came before; its delivery if it is to be handled again. */
  async #known({ plugin }: Route, { deliveries }: Appended): Promise<Delivery | Reply> {
    const delivery = deliveries.find((one) => one.plugin === queueOf(plugin));
    if (delivery === undefined) return keptReply(null);
    // Its sender was told that it failed, and tries again.
    if (delivery.status === 'failed') return (await this.#leases.take(delivery)) ? delivery : refuse('IN_PROGRESS');
    if (isLeased(delivery)) return refuse('IN_PROGRESS');
    return delivery.status === 'owed' ? isStored : keptReply(delivery.annotations);
  }

  #handle(route: Route, delivery: string, event_id: string, request: InboundRequest): Reply | Promise<Reply> {
    const { starts, limits } = this.#parts;
    const handling = starts.within(event_id, route.path, () => handle(route, request, limits.giveUpMs));
    if (!(handling instanceof Promise)) return this.#handled(route, delivery, event_id, handling);
    const handled = handling.then((its) => this.#handled(route, delivery, event_id, its));
    const { promise: late, resolve } = Promise.withResolvers<Reply>();
    const timer = setTimeout(() => resolve(isStored), limits.handlerMs);
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
