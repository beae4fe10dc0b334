import type { LedgerStore } from '../../src/ledger/index.ts';

const writes = ['append', 'requestRun', 'settle'] as const;

/** A ledger whose process dies: after so many writes nothing that is asked of it ever comes back, and nothing is written. */
export class Mortal {
  readonly died: Promise<void>;
  /** What was written, in short. */
  readonly written: string[] = [];
  readonly #die: () => void;
  #left: number;
  #isDead = false;

  constructor(writesLeft: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
    this.#left = writesLeft;
  }

  /** Stands before a ledger. */
  readonly before = (ledger: LedgerStore): LedgerStore =>
    new Proxy(ledger, {
      get: (target, key) => {
        const member = Reflect.get(target, key, target) as unknown;
        if (typeof member !== 'function' || key === 'on')
          return typeof member === 'function' ? member.bind(target) : member;
        return (...args: unknown[]) => {
          if (key === 'close') return member.apply(target, args);
          if (key === 'events' || key === 'runs' || key === 'deliveries')
            return this.#isDead ? endless() : member.apply(target, args);
          if (this.#isDead) return new Promise(() => {});
          if (!(writes as readonly unknown[]).includes(key)) return member.apply(target, args);
          return this.#write(String(key), args[0], () => member.apply(target, args) as Promise<unknown>);
        };
      },
    });

  #write(what: string, first: unknown, act: () => Promise<unknown>): Promise<unknown> {
    if (this.#left === 0) {
      this.#isDead = true;
      this.#die();
      return new Promise(() => {});
    }
    this.#left -= 1;
    const name = (first as { event?: string }).event;
    this.written.push(name ?? what);
    return act();
  }
}

async function* endless(): AsyncGenerator<never> {
  await new Promise(() => {});
}
