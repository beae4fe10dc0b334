/** How much text may pass per second; the rest is counted and left out. */
export class Budget {
  readonly #bytes: number;
  readonly #told: (dropped: number) => void;
  #from = Number.NEGATIVE_INFINITY;
  #used = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `told` hears, about a second later or at `settle`, how many characters were left out. */
  constructor(bytes: number, told: (dropped: number) => void) {
    this.#bytes = bytes;
    this.#told = told;
  }

  /** Whether so much more may pass now. */
  take(length: number): boolean {
    const now = performance.now();
    if (now - this.#from > 1000) {
      this.settle();
      this.#from = now;
      this.#used = 0;
    }
    this.#used += length;
    if (this.#used <= this.#bytes) return true;
    this.#dropped += length;
    this.#timer ??= setTimeout(() => this.settle(), 1000).unref();
    return false;
  }

  /** Tells of what was left out, if anything was. */
  settle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#told(dropped);
  }
}
