import type { Claim, Peers } from '../../src/hosts/peers.ts';

/** Hosts of a test, which all see at once what one of them has. */
export class FakeHosts {
  readonly #claims = new Map<string, string>();
  readonly #hears = new Set<() => void>();
  /** All that was ever taken, and by whom: `HOST KIND KEY`. */
  readonly taken: string[] = [];

  /** What this host sees of the others. */
  host(name: string): Peers {
    return {
      areMany: true,
      take: async (kind, key) => this.#take(name, `${kind} ${key}`),
      isTaken: async (kind, key) => (this.#claims.get(`${kind} ${key}`) ?? name) !== name,
      isElsewhere: (kind, key) => (this.#claims.get(`${kind} ${key}`) ?? name) !== name,
      isServed: false,
      say: async () => {},
      onFreed: (hear) => {
        this.#hears.add(hear);
        return () => this.#hears.delete(hear);
      },
      close: async () => {
        for (const [what, host] of this.#claims) if (host === name) this.#release(what);
      },
    };
  }

  #take(host: string, what: string): Claim | undefined {
    if (this.#claims.has(what)) return undefined;
    this.#claims.set(what, host);
    this.taken.push(`${host} ${what}`);
    return { lost: new AbortController().signal, release: async () => this.#release(what) };
  }

  #release(what: string): void {
    this.#claims.delete(what);
    for (const hear of this.#hears) hear();
  }
}
