const firstMs = 100;
const longestMs = 30_000;
/** One that has lived so long was well. */
const goodMs = 60_000;

/** How long to wait before something that ends by itself is started again: the longer, the more often it did. */
export class Backoff {
  #failures = 0;
  #until = 0;

  /** It ended, having lived so long. */
  failed(livedMs: number): void {
    this.#failures = livedMs > goodMs ? 1 : this.#failures + 1;
    this.#until = performance.now() + Math.min(longestMs, firstMs * 2 ** (this.#failures - 1));
  }

  /** How long it is until it may be started. */
  get waitMs(): number {
    return Math.max(0, this.#until - performance.now());
  }
}
