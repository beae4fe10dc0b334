/** How a server that fails is treated, in milliseconds. */
export interface Patience {
  /** Before it is started again after its first failure; twice as long after each further one. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** After so many failures in a row it is left alone for `pauseMs`. */
  readonly most: number;
  readonly pauseMs: number;
  /** One that has run for so long has not failed by starting. */
  readonly provenMs: number;
}

export const usualPatience: Patience = {
  firstMs: 250,
  longestMs: 30_000,
  most: 5,
  pauseMs: 60_000,
  provenMs: 30_000,
};

/** The failures in a row of a server, and when it may be tried again. */
export class Failures {
  readonly #patience: Patience;
  #inARow = 0;
  #until = 0;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** It has failed after it ran for so long; or, if it did not get to run, after that was waited for so long. */
  add({ ranMs = 0, waitedMs = 0 }: { ranMs?: number; waitedMs?: number }, now: number): void {
    const { firstMs, longestMs, most, pauseMs, provenMs } = this.#patience;
    this.#inARow = ranMs >= provenMs ? 1 : this.#inARow + 1;
    const usualMs = Math.min(firstMs * 2 ** (this.#inARow - 1), longestMs);
    // Nobody should wait for it most of the time.
    this.#until = now + (this.isTooMany ? pauseMs : Math.max(usualMs, Math.min(2 * waitedMs, pauseMs)));
    // After the pause it is tried once, not so often again.
    this.#inARow = Math.min(this.#inARow, most);
  }

  /** Whether it is left alone for a while. */
  get isTooMany(): boolean {
    return this.#inARow >= this.#patience.most;
  }

  /** How long it is not to be tried. */
  waitMs(now: number): number {
    return Math.max(0, this.#until - now);
  }

  /** Somebody wants it tried now. */
  forgive(): void {
    this.#inARow = 0;
    this.#until = 0;
  }
}
