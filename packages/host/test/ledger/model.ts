import type { DeliveryStatus } from '../../src/ledger/index.ts';

interface Owing {
  readonly id: string;
  readonly plugin: string;
  status: DeliveryStatus;
  attempts: number;
  later: boolean;
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
  #events: Happened[] = [];
  #last = 0;

  get events(): readonly Happened[] {
    return this.#events;
  }

  get deliveries(): Owing[] {
    return this.#events.flatMap(({ deliveries }) => deliveries);
  }

  owed(plugin: string): string[] {
    const due = this.deliveries.filter((one) => one.status === 'owed' && one.plugin === plugin && !one.later);
    return due.map(({ id }) => id);
  }

  /** Gives the place of the event: the one it had, if it is known. */
  append(id: string, isOld: boolean, plugins: readonly string[]): number {
    const known = this.#events.find((one) => one.id === id);
    if (known !== undefined) return known.seq;
    const seq = ++this.#last;
    const owe = (plugin: string, i: number): Owing => {
      return { id: `${seq}.${i + 1}`, plugin, status: 'owed', attempts: 0, later: false };
    };
    this.#events.push({ seq, id, isOld, deliveries: plugins.map(owe) });
    return seq;
  }

  settle(one: Owing, status: DeliveryStatus): boolean {
    if (one.status !== 'owed') return false;
    one.status = status;
    one.later = false;
    if (status === 'failed') this.failing.set(one.plugin, (this.failing.get(one.plugin) ?? 0) + 1);
    if (['ok', 'warn', 'refused'].includes(status)) this.failing.delete(one.plugin);
    return true;
  }

  postpone(one: Owing, attempts: number, later: boolean): boolean {
    if (one.status !== 'owed') return false;
    one.attempts = attempts;
    one.later = later;
    return true;
  }

  replay(one: Owing): void {
    one.status = 'owed';
    one.attempts = 0;
    one.later = false;
  }

  cancel(plugin: string): number {
    const owed = this.deliveries.filter((one) => one.status === 'owed' && one.plugin === plugin);
    for (const one of owed) one.status = 'cancelled';
    this.failing.delete(plugin);
    return owed.length;
  }

  prune(): number {
    const stays = this.#events.findIndex((one) => !one.isOld || one.deliveries.some(({ status }) => status === 'owed'));
    const gone = stays < 0 ? this.#events.length : stays;
    this.#events = this.#events.slice(gone);
    return gone;
  }
}
