import type { Delivery, LedgerStore } from '../ledger/index.ts';

/** What leases are kept with. */
export interface LeasesParts {
  readonly ledger: LedgerStore;
  /** Whether other hosts may handle requests too. If not, nothing is leased: the next host finds all of it due. */
  readonly areMany: boolean;
  /** For how long; renewed while a request is being handled. */
  readonly leaseMs: number;
}

type Known = Pick<Delivery, 'id' | 'status' | 'due_at'>;

/** How often a lease is renewed before it would run out. */
const renewals = 3;

/** The requests that this host handles, which other hosts leave alone until then. One whose host dies is due soon after. */
export class Leases {
  readonly #parts: LeasesParts;
  readonly #held = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
  }

  /** Until when others are to leave alone what this host stores now; null: there are no others. */
  get until(): string | null {
    return this.#parts.areMany ? this.#end().toISOString() : null;
  }

  /** To be called with what was stored so. */
  hold(known: Known): void {
    if (!this.#parts.areMany) return;
    this.#held.set(known.id, known);
    this.#timer ??= setInterval(() => this.#renew(), this.#parts.leaseMs / renewals).unref();
  }

  /** Takes a request that was stored before, and is owed or has failed. False if another host has, or it is done. */
  async take(known: Known): Promise<boolean> {
    const { ledger, areMany } = this.#parts;
    if (areMany) return this.#lease(known);
    if (known.status !== 'owed') await ledger.replay(known.id);
    return true;
  }

  /** To be called when it is written down what became of a request. */
  release(id: string): void {
    this.#held.delete(id);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Leaves what is still held to others, at once. Never throws. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const now = new Date();
    await Promise.allSettled([...this.#held.values()].map((known) => this.#parts.ledger.lease(known, now)));
    this.#held.clear();
  }

  async #lease(known: Known): Promise<boolean> {
    const until = this.#end();
    const isTaken = await this.#parts.ledger.lease(known, until);
    if (isTaken) this.hold({ id: known.id, status: 'owed', due_at: until.toISOString() });
    return isTaken;
  }

  #renew(): void {
    for (const known of this.#held.values()) {
      const done = (isHeld: boolean) => {
        // Written down meanwhile, or lost: then another host handles it as well.
        if (!isHeld && this.#held.get(known.id) === known) this.release(known.id);
      };
      // What cannot be renewed now is tried again, as long as there is time.
      this.#lease(known).then(done, () => {});
    }
  }

  #end(): Date {
    return new Date(Date.now() + this.#parts.leaseMs);
  }
}

/** Whether some host handles a request right now. */
export function isLeased({ status, due_at }: Delivery): boolean {
  return status === 'owed' && due_at !== null && due_at > new Date().toISOString();
}
