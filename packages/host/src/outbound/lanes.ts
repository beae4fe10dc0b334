import type { Hooks } from 'patchbay-sdk';
import { alone } from '../hosts/peers.ts';
import { PluginDuties } from '../hosts/plugin-duties.ts';
import type { Kernel } from '../kernel/index.ts';
import type { Delivery, LedgerStore } from '../ledger/index.ts';
import type { Edition, Emitter } from './emitter.ts';
import { tellingOfFailures } from './failed.ts';
import { Lane, placeOf, type Street } from './lane.ts';

/**
 * Makes the deliveries that the ledger owes: a lane for each plugin, so that a slow one delays itself only. What was owed
 * before a crash is delivered after it, under the same key.
 */
export class Lanes {
  readonly #kernel: Kernel<Hooks>;
  readonly #store: LedgerStore;
  readonly #street: Street;
  readonly #duties: PluginDuties;
  readonly #lanes = new Map<string, Lane>();
  #timer: NodeJS.Timeout | undefined;
  #unhear: (() => void)[] = [];

  constructor(
    kernel: Kernel<Hooks>,
    store: LedgerStore,
    emitter: Emitter,
    editionOf: (plugin: string) => Edition,
    duties = new PluginDuties(alone),
  ) {
    this.#kernel = kernel;
    this.#store = store;
    this.#duties = duties;
    this.#street = {
      kernel,
      store,
      editionOf,
      isOurs: (plugin) => duties.has(plugin),
      isTaken: ({ delivery, event }) => {
        if (!delivery.awaited) return false;
        return emitter.isAsking(event.seq) || (duties.areShared && this.#isAskedElsewhere(delivery));
      },
      ahead: async ({ delivery }) => {
        for (const { id, plugin } of await store.ahead(delivery.id)) {
          if (plugin !== delivery.plugin) await this.#lanes.get(plugin)?.reached(placeOf(id));
        }
      },
      failed: tellingOfFailures(emitter),
    };
  }

  /** Begins with what is owed already. */
  async start(): Promise<void> {
    this.#unhear = [
      this.#store.on('appended', ({ deliveries }) => {
        for (const { plugin, awaited } of deliveries) if (!awaited) this.#wake(plugin);
      }),
      this.#store.on('replayed', ({ plugin }) => this.#wake(plugin)),
      this.#store.on('elsewhere', (what) => {
        if (what?.deliveries ?? true) void this.#look().catch(() => {});
      }),
      this.#duties.onFreed(() => void this.#look().catch(() => {})),
    ];
    await this.#look();
  }

  /** Whether nothing is under way that does not wait for a paused handler. */
  get isAtRest(): boolean {
    return [...this.#lanes.values()].every((lane) => lane.isAtRest);
  }

  /** Resolves when all that can be delivered now has been. */
  async rest(): Promise<void> {
    await this.#look();
    while (!this.isAtRest) {
      await Promise.all([...this.#lanes.values()].map((lane) => lane.rest()));
    }
  }

  /** Takes nothing new and waits for the deliveries under way. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const unhear of this.#unhear) unhear();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
  }

  /** If the run is nobody's any more, whoever had it may have come to an answer since the delivery was read. */
  async #isAskedElsewhere({ id, run_id }: Delivery): Promise<boolean> {
    return (await this.#duties.isAsked(run_id)) || (await this.#store.delivery(id)).status !== 'owed';
  }

  /** Wakes those who are owed something, now and when the next of it is due. */
  async #look(): Promise<void> {
    const owed = await this.#store.owedPlugins();
    for (const { plugin } of owed) this.#wake(plugin);
    const later = owed.flatMap(({ due_at }) => (due_at === null ? [] : [Date.parse(due_at) - Date.now()]));
    clearTimeout(this.#timer);
    if (later.length === 0) return;
    this.#timer = setTimeout(() => void this.#look().catch(() => {}), Math.max(10, Math.min(...later, 60_000))).unref();
  }

  #wake(plugin: string): void {
    // One that is quarantined or disabled gets what it is owed when it is back.
    if (!this.#kernel.has(plugin)) return;
    let lane = this.#lanes.get(plugin);
    if (lane === undefined) {
      lane = new Lane(plugin, this.#street);
      this.#lanes.set(plugin, lane);
    }
    lane.wake();
  }
}
