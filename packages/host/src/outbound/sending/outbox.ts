import type { Due } from '../lane.ts';

/** What an outbox needs of the sender. */
export interface Office {
  /** What may be sent now, in order; those that are under way may be among it. */
  take(limit: number): Promise<readonly Due[]>;
  /** Sends one and writes down what came of it, so that it is not taken again. Never rejects. */
  send(due: Due): Promise<void>;
  /** Bounds what is under way in all. */
  readonly slots: Slots;
  /** Hears that taking has failed. */
  readonly failed: (error: unknown) => void;
}

/** A number of places, given to whoever asks first. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when there is one for the caller, who gives it back. */
  async take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Sends requests of one plugin, begun in the order in which they are taken, a few at a time; the rest waits in the ledger. */
export class Outbox {
  readonly #office: Office;
  readonly #most: number;
  readonly #patienceMs: number;
  readonly #underWay = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;
  #woken = false;
  #closed = false;

  /** At most `most` at the same time. The next one waits for the one before, but no longer than `patienceMs`. */
  constructor(office: Office, most: number, patienceMs: number) {
    this.#office = office;
    this.#most = most;
    this.#patienceMs = patienceMs;
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#closed) return;
    this.#woken = true;
    // It may come to its end at once, but not before it is known to run.
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#mayLook) this.wake();
    });
  }

  /** While as many as may be are under way, there is nothing to look for: the first that ends wakes us. */
  get #mayLook(): boolean {
    return this.#woken && !this.#closed && this.#underWay.size < this.#most;
  }

  get isAtRest(): boolean {
    return this.#running === undefined && this.#underWay.size === 0;
  }

  /** Resolves when nothing is under way and nothing more can be sent now. */
  async rest(): Promise<void> {
    while (!this.isAtRest) {
      await this.#running;
      await Promise.all(this.#underWay.values());
    }
  }

  /** Takes nothing new. */
  close(): void {
    this.#closed = true;
  }

  async #run(): Promise<void> {
    try {
      while (this.#mayLook) {
        this.#woken = false;
        for (const due of await this.#office.take(this.#most)) await this.#begin(due);
      }
    } catch (error) {
      this.#office.failed(error);
    }
  }

  async #begin(due: Due): Promise<void> {
    const { id } = due.delivery;
    if (this.#underWay.has(id) || this.#underWay.size >= this.#most) return;
    const { slots } = this.#office;
    await slots.take();
    if (this.#closed) return slots.give();
    const sending = this.#office.send(due).then(() => {
      slots.give();
      this.#underWay.delete(id);
      this.wake();
    });
    this.#underWay.set(id, sending);
    await within(sending, this.#patienceMs);
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  if (ms === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
