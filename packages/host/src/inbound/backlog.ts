import type { EventPayload } from 'patchbay-sdk';
import type { LedgerStore } from '../ledger/index.ts';
import type { Desk } from './desk.ts';
import { pluginOf } from './queues.ts';
import type { Routes } from './routes.ts';

/** What a backlog works with. */
export interface BacklogParts {
  readonly ledger: LedgerStore;
  readonly routes: Routes;
  readonly desk: Desk;
  isPaused(path: string): boolean;
}

type Due = Awaited<ReturnType<LedgerStore['owed']>>[number];

/** So many requests of one plugin are handled at once. */
const atOnce = 8;

/** Has requests handled that are stored and were not: because of a crash, a pause, or a replay. */
export class Backlog {
  readonly #parts: BacklogParts;
  readonly #unhear: (() => void)[];
  #looking: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
    const look = () => this.look();
    this.#unhear = [
      parts.ledger.on('replayed', look),
      parts.ledger.on('elsewhere', (what) => {
        if (what?.deliveries ?? true) look();
      }),
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
    this.#closed = true;
    for (const unhear of this.#unhear) unhear();
    await this.#looking;
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        const owed = await this.#parts.ledger.owedPlugins();
        // Side by side: a plugin whose handlers hang holds up its own requests only.
        await Promise.all(
          owed.flatMap(({ plugin: queue }) => (pluginOf(queue) === undefined ? [] : this.#work(queue))),
        );
      }
    } catch (error) {
      process.emitWarning(`stored webhooks could not be handled: ${String(error)}`, 'PatchbayWarning');
    } finally {
      this.#looking = undefined;
    }
  }

  async #work(queue: string): Promise<void> {
    let after: string | undefined;
    while (!this.#closed) {
      const dues = await this.#parts.ledger.owed(queue, { limit: atOnce, ...(after === undefined ? {} : { after }) });
      await Promise.all(dues.map((due) => this.#handle(due)));
      after = dues.at(-1)?.delivery.id;
      if (dues.length < atOnce) return;
    }
  }

  async #handle({ delivery, event }: Due): Promise<void> {
    const { routes, desk, isPaused } = this.#parts;
    const route = routes.at(delivery.handler);
    // A plugin that is not there, or has no such route any more, may be back another time.
    if (route === undefined || route.plugin !== pluginOf(delivery.plugin) || isPaused(route.path)) return;
    await desk.again(route, delivery, event.payload as EventPayload<'webhook:received'>);
  }
}
