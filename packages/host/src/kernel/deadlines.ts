/** Something that waits and is told when that has taken too long. */
export interface Waiter {
  /** The tick at which it is too late; `notWaiting` while nobody is to blame. */
  expires: number;
  /** Its neighbours in the list of those that wait. */
  previous: Waiter | undefined;
  next: Waiter | undefined;
  expired(): void;
}

/** A tick that never comes. A small integer, because the engine keeps fields that hold only those much cheaper. */
export const notWaiting = 2 ** 30 - 1;

/** One tick in milliseconds: a deadline may come that much late, twice, and never early. */
const tickMs = 20;

/** After how many ticks something that may take `ms` is too late, whenever in a tick it begins. */
export function ticksIn(ms: number): number {
  return Math.ceil(ms / tickMs) + 1;
}

/**
 * One coarse timer for all deadlines of a kernel. It counts ticks rather than reading a clock (a read costs more than
 * a handler), so a blocked event loop makes deadlines later, never earlier. It runs only while somebody waits.
 */
export class Deadlines {
  /** How many ticks there have been. */
  tick = 0;
  #first: Waiter | undefined;
  #timer: NodeJS.Timeout | undefined;

  add(waiter: Waiter): void {
    waiter.next = this.#first;
    if (this.#first !== undefined) this.#first.previous = waiter;
    this.#first = waiter;
    this.#timer ??= setInterval(this.#onTick, tickMs);
  }

  delete(waiter: Waiter): void {
    if (waiter.previous !== undefined) waiter.previous.next = waiter.next;
    else if (this.#first === waiter) this.#first = waiter.next;
    if (waiter.next !== undefined) waiter.next.previous = waiter.previous;
    waiter.previous = undefined;
    waiter.next = undefined;
  }

  readonly #onTick = (): void => {
    this.tick++;
    const late: Waiter[] = [];
    for (let waiter = this.#first; waiter !== undefined; waiter = waiter.next) {
      if (waiter.expires <= this.tick) late.push(waiter);
    }
    for (const waiter of late) waiter.expired();
    if (this.#first !== undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.tick = 0;
  };
}
