import { setTimeout as sleep } from 'node:timers/promises';
import type { EventPayload } from 'patchbay-sdk';
import type { Claim, Peers } from '../hosts/peers.ts';
import type { LedgerStore } from '../ledger/index.ts';
import type { Desk } from './desk.ts';
import { pluginOf } from './queues.ts';
import type { Route, Routes } from './routes.ts';

/** What a backlog works with. */
export interface BacklogParts {
  readonly ledger: LedgerStore;
  readonly routes: Routes;
  readonly desk: Desk;
  readonly peers: Peers;
  /** When what another host has taken may be due. */
  readonly leaseMs: number;
  isPaused(path: string): boolean;
}

/** Where other hosts write all the time, it is not looked more often. */
const lookEveryMs = 200;

type Due = Awaited<ReturnType<LedgerStore['owed']>>[number];

/** So many requests of one plugin are handled at once. */
const atOnce = 8;

/** Has requests handled that are stored and were not: because of a crash, a pause, or a replay. Those of a plugin by one host. */
export class Backlog {
  readonly #parts: BacklogParts;
  readonly #unhear: (() => void)[];
  readonly #closing = new AbortController();
  #looking: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
    const look = () => this.look();
    const { ledger, peers } = parts;
    this.#unhear = [
      ledger.on('replayed', look),
      ledger.on('elsewhere', (what) => {
        if (what?.deliveries ?? true) look();
      }),
      peers.onFreed(look),
    ];
    this.look();
  }

  /** There may be something to do. */
  look(): void {
    this.#again = true;
    this.#looking ??= this.#run();
  }

  /** Resolves when everything that can be handled now was, or takes too long to be waited for. */
  async rest(): Promise<void> {
    while (this.#looking !== undefined) await this.#looking;
  }

  /** Begins nothing more, and waits for what was begun. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    for (const unhear of this.#unhear) unhear();
    await this.#looking;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    try {
      while (this.#again && !signal.aborted) {
        this.#again = false;
        await this.#lookOnce();
        if (this.#parts.peers.areMany) await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
      }
    } catch (error) {
      process.emitWarning(`stored webhooks could not be handled: ${String(error)}`, 'PatchbayWarning');
    } finally {
      this.#looking = undefined;
    }
  }

  async #lookOnce(): Promise<void> {
    const { ledger, peers, leaseMs } = this.#parts;
    const owed = (await ledger.owedPlugins()).filter(({ plugin: queue }) => pluginOf(queue) !== undefined);
    // What another host has taken is due when that one is gone, of which nobody sends word.
    clearTimeout(this.#timer);
    if (peers.areMany && owed.length > 0) this.#timer = setTimeout(() => this.look(), leaseMs / 2).unref();
    // Side by side: a plugin whose handlers hang holds up its own requests only.
    await Promise.all(owed.map(({ plugin: queue }) => this.#work(queue)));
  }

  async #work(queue: string): Promise<void> {
    let after: string | undefined;
    let claim: Claim | undefined;
    try {
      while (!this.#closing.signal.aborted) {
        const dues = await this.#parts.ledger.owed(queue, { limit: atOnce, ...(after === undefined ? {} : { after }) });
        const open = dues.filter((due) => this.#routeOf(due) !== undefined);
        if (open.length > 0) {
          claim ??= await this.#parts.peers.take('duty', `inbox:${pluginOf(queue)}`);
          if (claim === undefined || claim.lost.aborted) return;
          await Promise.all(open.map((due) => this.#handle(due)));
        }
        after = dues.at(-1)?.delivery.id;
        if (dues.length < atOnce) return;
      }
    } finally {
      await claim?.release();
    }
  }

  /** Undefined if it is not to be handled now: its plugin, or the route, may be back another time. */
  #routeOf({ delivery }: Due): Route | undefined {
    const route = this.#parts.routes.at(delivery.handler);
    const isOpen = route?.plugin === pluginOf(delivery.plugin) && !this.#parts.isPaused(delivery.handler);
    return isOpen ? route : undefined;
  }

  async #handle(due: Due): Promise<void> {
    const route = this.#routeOf(due);
    if (route === undefined) return;
    await this.#parts.desk.again(route, due.delivery, due.event.payload as EventPayload<'webhook:received'>);
  }
}
