import type { Elsewhere, LedgerNews } from './store.ts';

type Hears = { [N in keyof LedgerNews]: Set<(news: LedgerNews[N]) => void> };

type Watch = (hear: (what?: Elsewhere) => void) => () => void;

/** Tells who wants to hear of what has become durable. */
export class News {
  readonly #hears: Hears = {
    appended: new Set(),
    requested: new Set(),
    settled: new Set(),
    replayed: new Set(),
    unsent: new Set(),
    noted: new Set(),
    elsewhere: new Set(),
  };
  readonly #watch: Watch;
  #unwatch: (() => void) | undefined;

  /** `watch` tells what others change, until its undo is called; only while somebody wants to hear of it. */
  constructor(watch: Watch) {
    this.#watch = watch;
  }

  /** Gives the undo. */
  on<N extends keyof LedgerNews>(what: N, hear: (news: LedgerNews[N]) => void): () => void {
    // Its own function, so that whoever hears twice undoes once.
    const own = (news: LedgerNews[N]) => hear(news);
    this.#hears[what].add(own);
    this.#watchOrNot();
    return () => {
      this.#hears[what].delete(own);
      this.#watchOrNot();
    };
  }

  wanted(what: keyof LedgerNews): boolean {
    return this.#hears[what].size > 0;
  }

  tell<N extends keyof LedgerNews>(what: N, news: LedgerNews[N]): void {
    for (const hear of this.#hears[what]) {
      try {
        hear(news);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Nobody hears any more. */
  stop(): void {
    for (const hears of Object.values(this.#hears)) hears.clear();
    this.#watchOrNot();
  }

  #watchOrNot(): void {
    if (!this.wanted('elsewhere')) {
      this.#unwatch?.();
      this.#unwatch = undefined;
    } else this.#unwatch ??= this.#watch((what) => this.tell('elsewhere', what));
  }
}
