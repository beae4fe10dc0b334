import { setTimeout as sleep } from 'node:timers/promises';
import { type Hooks, messageOf } from 'patchbay-sdk';
import { alone } from '../../hosts/peers.ts';
import { PluginDuties } from '../../hosts/plugin-duties.ts';
import type { Kernel } from '../../kernel/index.ts';
import type { Due } from '../lane.ts';
import { Outbox, Slots } from './outbox.ts';
import { Postman, type PostmanParts } from './postman.ts';

/** What a sender needs of those around it. */
export interface SenderParts extends PostmanParts {
  readonly kernel: Kernel<Hooks>;
  /** Which plugins this host sends for. @default all */
  readonly duties?: PluginDuties;
}

/** So many first attempts, and as many others, are under way for one plugin. */
const mostOfPlugin = 4;
const mostInAll = 32;
/** How long a first attempt holds up the next one of its plugin. */
const patienceMs = 1000;
/** How long attempts under way are waited for when the host goes. */
const closeMs = 2000;
/** When the ledger could not be read, it is tried again after so long. */
const retryMs = 1000;
/** The clock may be set, and the machine may sleep: what is due is looked for at least so often. */
const lookAgainMs = 60_000;

/**
 * Makes the requests that handlers asked for, apart from the lanes: signed, and again until they arrive or are given up. What
 * waits, waits in the ledger, over restarts too.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #duties: PluginDuties;
  readonly #now: () => number;
  readonly #boxes = new Map<string, readonly Outbox[]>();
  readonly #slots = new Slots(mostInAll);
  readonly #closing = new AbortController();
  readonly #postman: Postman;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #unhear: (() => void)[] = [];

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#duties = parts.duties ?? new PluginDuties(alone);
    this.#now = parts.now ?? Date.now;
    this.#postman = new Postman(parts, this.#closing.signal);
  }

  /** Begins with what is to be sent already. */
  async start(): Promise<void> {
    const { store } = this.#parts;
    this.#unhear = [
      store.on('unsent', (plugin) => this.#wake(plugin)),
      store.on('elsewhere', (what) => {
        if (what?.deliveries ?? true) void this.#look().catch(() => {});
      }),
      this.#duties.onFreed(() => void this.#look().catch(() => {})),
    ];
    await this.#look();
  }

  /** Whether nothing is under way. */
  get isAtRest(): boolean {
    return this.#all().every((box) => box.isAtRest);
  }

  /** Resolves when all that can be sent now has been. */
  async rest(): Promise<void> {
    await this.#look();
    while (!this.isAtRest) await Promise.all(this.#all().map((box) => box.rest()));
  }

  /** Takes nothing new and waits for what is under way, a while; what has no answer by then is sent by the next host. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const unhear of this.#unhear) unhear();
    for (const box of this.#all()) box.close();
    const ended = Promise.all(this.#all().map((box) => box.rest()));
    const timer = new AbortController();
    await Promise.race([ended, sleep(closeMs, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
    this.#closing.abort();
    await ended;
  }

  #all(): Outbox[] {
    return [...this.#boxes.values()].flat();
  }

  /** Wakes those who have something to send, now and when the next of it is due. */
  async #look(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
    for (const { plugin, due_at } of await this.#parts.store.unsentPlugins(new Date(this.#now()))) {
      this.#wake(plugin);
      if (due_at !== null) this.#lookAt(Date.parse(due_at));
    }
  }

  #lookAt(time: number): void {
    if (time >= this.#timerAt || this.#closing.signal.aborted) return;
    this.#timerAt = time;
    clearTimeout(this.#timer);
    const inMs = Math.min(Math.max(10, time - this.#now()), lookAgainMs);
    this.#timer = setTimeout(() => void this.#look().catch(() => {}), inMs).unref();
  }

  /** For a plugin that is quarantined, disabled or gone nothing is sent until it is back. */
  #isHere(plugin: string): boolean {
    return this.#parts.kernel.has(plugin) && this.#parts.editionOf(plugin).rights !== null;
  }

  #wake(plugin: string): void {
    if (!this.#isHere(plugin)) return;
    let boxes = this.#boxes.get(plugin);
    if (boxes === undefined) {
      boxes = [this.#box(plugin, 'first'), this.#box(plugin, 'again')];
      this.#boxes.set(plugin, boxes);
    }
    for (const box of boxes) box.wake();
  }

  #box(plugin: string, which: 'first' | 'again'): Outbox {
    const { store } = this.#parts;
    const office = {
      take: async (limit: number) =>
        this.#isHere(plugin) && (await this.#duties.has(plugin))
          ? store.unsent(plugin, which, { limit, now: new Date(this.#now()) })
          : [],
      send: async (due: Due) => {
        const next = await this.#postman.send(due);
        if (next !== undefined) this.#lookAt(next);
      },
      slots: this.#slots,
      failed: (error: unknown) => {
        process.emitWarning(`the requests of plugin "${plugin}" stopped: ${messageOf(error)}`, 'PatchbayWarning');
        this.#lookAt(this.#now() + retryMs);
      },
    };
    return new Outbox(office, mostOfPlugin, which === 'first' ? patienceMs : 0);
  }
}
