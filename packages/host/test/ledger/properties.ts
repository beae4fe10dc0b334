import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LedgerStore, Settlement } from '../../src/ledger/index.ts';
import { Model } from './model.ts';
import { all, said } from './scratch.ts';

const plugins = ['a', 'b', 'c'];
const old = '2020-01-01T00:00:00.000Z';
const pruneLine = new Date('2021-01-01');
const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];

const ends: Settlement['status'][] = ['sending', 'sending', 'ok', 'warn', 'failed', 'refused', 'skipped', 'cancelled'];
const plugin = fc.constantFrom(...plugins);
/** Which of the deliveries or events there are, whatever their number. */
const which = fc.nat(1000);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('append'), isOld: fc.boolean(), owes: fc.array(plugin, { maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('append again'), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle'), which, status: fc.constantFrom(...ends) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('postpone'), which, later: fc.boolean(), attempts: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sent'), which, arrived: fc.boolean(), attempts: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replay'), which, evaluate: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel'), plugin }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
);
type Step = {
  do: string;
  which?: number;
  isOld?: boolean;
  owes?: string[];
  status?: Settlement['status'];
  later?: boolean;
  arrived?: boolean;
  evaluate?: boolean;
  attempts?: number;
  plugin?: string;
};

/** Opens one ledger, as often as is wanted. */
type Place = () => Promise<LedgerStore>;

/** A ledger and the model of it. Answers are compared as they come; nothing is waited for but where the steps say so. */
class Pair {
  readonly #open: Place;
  readonly #model = new Model();
  readonly #payloads = new Map<string, ReturnType<typeof said>>();
  #waiting: Promise<void>[] = [];
  #ledger: LedgerStore;

  constructor(open: Place, ledger: LedgerStore) {
    this.#open = open;
    this.#ledger = ledger;
  }

  async take(one: Step): Promise<void> {
    const { deliveries, events } = this.#model;
    const delivery = deliveries[(one.which ?? 0) % deliveries.length];
    if (one.do === 'append') this.#append({ ...said('x'), ...(one.isOld === true ? { at: old } : {}) }, one.owes ?? []);
    const again = this.#payloads.get(events[(one.which ?? 0) % events.length]?.id ?? '');
    if (one.do === 'append again' && again !== undefined) this.#append(again, ['a']);
    if (one.do === 'settle' && delivery !== undefined) {
      const status = one.status ?? 'ok';
      const request = status === 'sending' ? { url: 'x' } : null;
      this.#same(this.#ledger.settle(delivery.id, { status, request }), this.#model.settle(delivery, status));
    }
    if (one.do === 'postpone' && delivery !== undefined) {
      const { attempts = 0, later = false } = one;
      const postponing = this.#ledger.postpone(delivery.id, { attempts }, later ? future : past);
      this.#same(postponing, this.#model.postpone(delivery, attempts, later ? 'later' : 'by now'));
    }
    if (one.do === 'sent' && delivery !== undefined) {
      const { attempts = 0, arrived = false } = one;
      const status = arrived ? 'ok' : 'failed';
      const sending = this.#ledger.sent(delivery.id, { status, attempts }, 3);
      this.#same(sending, this.#model.sent(delivery, attempts, status));
    }
    if (one.do === 'replay' && delivery !== undefined) {
      const { evaluate = false } = one;
      this.#model.replay(delivery, evaluate);
      this.#same(
        this.#ledger.replay(delivery.id, { evaluate }).then(({ id, status }) => `${id} ${status}`),
        `${delivery.id} ${delivery.status}`,
      );
    }
    if (one.do === 'cancel')
      this.#same(this.#ledger.cancel(one.plugin ?? '', 'gone'), this.#model.cancel(one.plugin ?? ''));
    if (one.do === 'wait') await this.#settled();
    if (one.do === 'prune') {
      // It takes several transactions, between which others would come.
      await this.#settled();
      this.#same(this.#ledger.prune(pruneLine), { events: this.#model.prune() });
      await this.#settled();
    }
    if (one.do === 'reopen') {
      await this.#ledger.close();
      this.#ledger = await this.#open();
    }
  }

  /** Everything that can be read is as the model says. */
  async compare(): Promise<void> {
    await this.#settled();
    const { events, deliveries, failing } = this.#model;
    expect((await all(this.#ledger.events())).map(({ seq, id }) => [seq, id])).toEqual(
      events.map(({ seq, id }) => [seq, id]),
    );
    const shown = (await all(this.#ledger.deliveries())).map((one) => [one.id, one.plugin, one.status]);
    expect(shown).toEqual(deliveries.map((one) => [one.id, one.plugin, one.status]));
    const owed = deliveries.filter(({ status }) => status === 'owed' || status === 'sending');
    const tried = await all(this.#ledger.deliveries({ status: ['owed', 'sending'] }));
    expect(tried.map(({ id, attempts }) => [id, attempts])).toEqual(owed.map(({ id, attempts }) => [id, attempts]));
    for (const name of plugins) {
      const due = await this.#ledger.owed(name, { limit: 1000 });
      expect(due.map(({ delivery }) => delivery.id)).toEqual(this.#model.owed(name));
      const unsent = async (which: 'first' | 'again') =>
        (await this.#ledger.unsent(name, which, { limit: 1000, now: new Date() })).map(({ delivery }) => delivery.id);
      expect(await unsent('first')).toEqual(this.#model.unsent(name, 'at once'));
      expect(await unsent('again')).toEqual(this.#model.unsent(name, 'by now'));
    }
    const lost = (await this.#ledger.endpoints()).map((one) => [one.plugin, one.failures]);
    expect(Object.fromEntries(lost)).toEqual(Object.fromEntries(this.#model.lost));
    const failures = (await this.#ledger.failing()).map((one) => [one.plugin, one.failures]);
    expect(Object.fromEntries(failures)).toEqual(Object.fromEntries(failing));
    expect(await this.#ledger.verify()).toMatchObject({ ok: true, events: events.length });
  }

  close(): Promise<void> {
    return this.#ledger.close();
  }

  #append(payload: ReturnType<typeof said>, owes: readonly string[]): void {
    this.#payloads.set(payload.event_id, payload);
    const appending = this.#ledger.append(
      payload,
      owes.map((name) => ({ plugin: name, handler: `${name}#1` })),
    );
    this.#same(
      appending.then(({ event }) => event.seq),
      this.#model.append(payload.event_id, payload.at === old, owes),
    );
  }

  #same(answer: Promise<unknown>, expected: unknown): void {
    this.#waiting.push(answer.then((given) => expect(given).toEqual(expected)));
  }

  async #settled(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    await Promise.all(waiting);
  }
}

/** A ledger does what a simple model of it does. Each run has one of its own: `place` gives what opens it, again and again. */
export function ledgerProperties(name: string, place: () => Promise<Place>, numRuns: number): void {
  it(`for all sequences of operations, a ledger does what a simple model of it does: ${name}`, async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const open = await place();
      const pair = new Pair(open, await open());
      try {
        for (const one of steps) await pair.take(one);
        await pair.compare();
      } finally {
        await pair.close();
      }
    });
    await fc.assert(property, { numRuns });
  });
}
