/** So many go on without waiting for more. */
const enough = 64;
/** When nobody came for so many turns of the event loop, nobody is waited for: in all they take less than writing does. */
const quietTurns = 32;
/** For so many turns at the most, the first of them waits for others. */
const mostTurns = 256;

/**
 * Has those who are about to write wait for each other, so that more of them share one wait for the disk: as long as each turn of
 * the event loop brings more, and a little longer while they are fewer than the last time, since who was answered then may be
 * about to send again. One that comes alone after another that did waits for a turn.
 */
export class Gathering {
  readonly #going: () => void;
  #count = 0;
  #group = Promise.withResolvers<void>();
  /** How many there were the last time. */
  #before = 1;

  /** `going` is called right before a group goes on. */
  constructor(going: () => void) {
    this.#going = going;
  }

  /** Resolves when the group goes on, for all of them at once. */
  join(): Promise<void> {
    if (this.#count === 0) setImmediate(() => this.#turn(0, 0, mostTurns));
    this.#count++;
    return this.#group.promise;
  }

  /** There were `seen` of them for `quiet` turns; they wait for `left` more at the most. */
  #turn(seen: number, quiet: number, left: number): void {
    const count = this.#count;
    const isGrowing = count > seen;
    const mayGrow = isGrowing || (count < this.#before && quiet < quietTurns);
    if (mayGrow && count < enough && left > 0) {
      setImmediate(() => this.#turn(count, isGrowing ? 0 : quiet + 1, left - 1));
      return;
    }
    const { resolve } = this.#group;
    this.#before = count;
    this.#count = 0;
    this.#group = Promise.withResolvers();
    this.#going();
    resolve();
  }
}
