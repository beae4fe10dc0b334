import type { DeliveryStatus } from '../../src/ledger/index.ts';

interface Owing {
  readonly id: string;
  readonly plugin: string;
  status: DeliveryStatus;
  attempts: number;
  /** Whether it has a request. */
  asked: boolean;
  due: 'at once' | 'by now' | 'later';
}

interface Happened {
  readonly seq: number;
  readonly id: string;
  readonly isOld: boolean;
  readonly deliveries: readonly Owing[];
}

/** What a ledger should do, in the simplest words there are. */
export class Model {
  readonly failing = new Map<string, number>();
  readonly lost = new Map<string, number>();
  #events: Happened[] = [];
  #last = 0;

  get events(): readonly Happened[] {
    return this.#events;
  }

  get deliveries(): Owing[] {
    return this.#events.flatMap(({ deliveries }) => deliveries);
  }

  owed(plugin: string): string[] {
    const due = this.deliveries.filter((one) => one.status === 'owed' && one.plugin === plugin);
    return due.map(({ id }) => id);
  }

  unsent(plugin: string, due: Owing['due']): string[] {
    const unsent = this.deliveries.filter((one) => one.status === 'sending' && one.plugin === plugin);
    return unsent.filter((one) => one.due === due).map(({ id }) => id);
  }

  /** Gives the place of the event: the one it had, if it is known. */
  append(id: string, isOld: boolean, plugins: readonly string[]): number {
    const known = this.#events.find((one) => one.id === id);
    if (known !== undefined) return known.seq;
    const seq = ++this.#last;
    const owe = (plugin: string, i: number): Owing => {
      return { id: `${seq}.${i + 1}`, plugin, status: 'owed', attempts: 0, asked: false, due: 'at once' };
    };
    this.#events.push({ seq, id, isOld, deliveries: plugins.map(owe) });
    return seq;
  }

  settle(one: Owing, status: DeliveryStatus): boolean {
    if (one.status !== 'owed') return false;
    one.status = status;
    one.asked = status === 'sending';
    if (status === 'failed') this.failing.set(one.plugin, (this.failing.get(one.plugin) ?? 0) + 1);
    if (['ok', 'warn', 'refused', 'sending'].includes(status)) this.failing.delete(one.plugin);
    return true;
  }

  postpone(one: Owing, attempts: number, due: 'by now' | 'later'): boolean {
    if (one.status !== 'sending') return false;
    one.attempts = attempts;
    one.due = due;
    return true;
  }

  sent(one: Owing, attempts: number, status: 'ok' | 'failed'): boolean {
    if (one.status !== 'sending') return false;
    one.attempts = attempts;
    one.status = status;
    one.due = 'at once';
    if (status === 'failed') this.lost.set(one.plugin, (this.lost.get(one.plugin) ?? 0) + 1);
    else this.lost.delete(one.plugin);
    return true;
  }

  replay(one: Owing, evaluate: boolean): void {
    one.asked &&= !evaluate;
    one.status = one.asked ? 'sending' : 'owed';
    one.attempts = 0;
    one.due = 'at once';
  }

  cancel(plugin: string): number {
    const open = this.deliveries.filter((one) => isOpen(one) && one.plugin === plugin);
    for (const one of open) {
      one.status = 'cancelled';
      one.due = 'at once';
    }
    this.failing.delete(plugin);
    this.lost.delete(plugin);
    return open.length;
  }

  prune(): number {
    const stays = this.#events.findIndex((one) => !one.isOld || one.deliveries.some(isOpen));
    const gone = stays < 0 ? this.#events.length : stays;
    this.#events = this.#events.slice(gone);
    return gone;
  }
}

function isOpen({ status }: Owing): boolean {
  return status === 'owed' || status === 'sending';
}
