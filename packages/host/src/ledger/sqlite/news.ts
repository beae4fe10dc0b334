import type { DatabaseSync } from 'node:sqlite';
import type { LedgerNews } from '../store.ts';

type Hears = { [N in keyof LedgerNews]: Set<(news: LedgerNews[N]) => void> };

/** How often to look whether another process has written: reads a few bytes of shared memory. */
const lookEveryMs = 50;

/** Tells who wants to hear of what has become durable. */
export class News {
  readonly #hears: Hears = {
    appended: new Set(),
    requested: new Set(),
    settled: new Set(),
    replayed: new Set(),
    unsent: new Set(),
    elsewhere: new Set(),
  };
  readonly #dataVersion;
  #seen: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: DatabaseSync) {
    this.#dataVersion = db.prepare('PRAGMA data_version');
  }

  /** Gives the undo. */
  on<N extends keyof LedgerNews>(what: N, hear: (news: LedgerNews[N]) => void): () => void {
    // Its own function, so that whoever hears twice undoes once.
    const own = (news: LedgerNews[N]) => hear(news);
    this.#hears[what].add(own);
    this.#lookOrNot();
    return () => {
      this.#hears[what].delete(own);
      this.#lookOrNot();
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
    this.#lookOrNot();
  }

  #lookOrNot(): void {
    if (!this.wanted('elsewhere')) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      this.#seen = this.#version();
      this.#timer = setInterval(() => this.#look(), lookEveryMs);
    }
  }

  #look(): void {
    const version = this.#version();
    if (version === this.#seen) return;
    this.#seen = version;
    this.tell('elsewhere', undefined);
  }

  #version(): unknown {
    return this.#dataVersion.get()?.['data_version'];
  }
}
