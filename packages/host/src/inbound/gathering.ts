/** So many go on without waiting for more. */
const enough = 64;
/** For so many turns of the event loop at the most, the first of them waits for others. */
const mostTurns = 8;

/**
 * Has those who are about to write wait for each other: as long as each turn of the event loop brings more, and for a few turns
 * only, so that more of them share one wait for the disk. One that comes alone waits for a turn.
 */
export class Gathering {
  #count = 0;
  #group = Promise.withResolvers<void>();

  /** Resolves when the group goes on, for all of them at once. */
  join(): Promise<void> {
    if (this.#count === 0) setImmediate(() => this.#turn(0, mostTurns));
    this.#count++;
    return this.#group.promise;
  }

  #turn(before: number, left: number): void {
    const count = this.#count;
    if (count > before && count < enough && left > 0) {
      setImmediate(() => this.#turn(count, left - 1));
      return;
    }
    const { resolve } = this.#group;
    this.#count = 0;
    this.#group = Promise.withResolvers();
    resolve();
  }
}
