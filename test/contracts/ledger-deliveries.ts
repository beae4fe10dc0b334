import { beforeEach, describe, expect, it } from 'vitest';
import type { Delivery, LedgerStore } from '../../packages/host/src/ledger/store.ts';
import { all, event, owes } from './ledger-parts.ts';

const soon = () => new Date(Date.now() + 3_600_000);

/** What every store of the ledger must do with deliveries. `of` gives the one of the present test. */
export function deliveryContract(of: () => LedgerStore): void {
  let ledger: LedgerStore;
  beforeEach(() => {
    ledger = of();
  });
  /** Appends, and gives the one delivery that is owed. */
  const owing = async (plugin = 'p', payload = event('turn:accepted')): Promise<Delivery> => {
    const { deliveries } = await ledger.append(payload, owes(plugin));
    return deliveries[0] as Delivery;
  };
  const delivery = (id: string) => ledger.delivery(id);

  describe('deliveries', () => {
    it('are owed in the order of events, per plugin, after a place, with their events', async () => {
      const first = event('run:started');
      await ledger.append(first, owes('a', 'b', 'a'));
      await ledger.append(event('turn:accepted'), owes('a'));
      await ledger.append(event('turn:accepted'));
      const owed = await ledger.owed('a', { limit: 9 });
      expect(owed.map(({ delivery, event }) => [delivery.id, event.seq])).toEqual([
        ['1.1', 1],
        ['1.3', 1],
        ['2.1', 2],
      ]);
      expect(owed[0]?.event.payload).toEqual(first);
      const ids = async (after: string, limit = 9) =>
        (await ledger.owed('a', { after, limit })).map(({ delivery }) => delivery.id);
      expect(await ids('1.1')).toEqual(['1.3', '2.1']);
      expect(await ids('1.1', 1)).toEqual(['1.3']);
      expect(await ids('2.1')).toEqual([]);
      expect(await ledger.owedPlugins()).toEqual([
        { plugin: 'a', count: 3, due_at: null },
        { plugin: 'b', count: 1, due_at: null },
      ]);
    });

    it('that are owed from a time on are given to nobody before it, and say when', async () => {
      const due_at = soon().toISOString();
      const later = { plugin: 'a', handler: 'a#1', due_at };
      const { deliveries } = await ledger.append(event('turn:accepted'), [later, ...owes('b')]);
      expect(deliveries).toMatchObject([{ due_at }, { due_at: null }]);
      expect(await delivery('1.1')).toEqual(deliveries[0]);
      expect(await ledger.owed('a', { limit: 9 })).toEqual([]);
      expect(await ledger.owed('b', { limit: 9 })).toHaveLength(1);
      expect(await ledger.owedPlugins()).toMatchObject([{ plugin: 'a', count: 1, due_at }, { plugin: 'b' }]);
      await ledger.append(event('turn:accepted'), [{ ...later, due_at: '2020-01-01T00:00:00.000Z' }]);
      expect(await ledger.owed('a', { limit: 9 })).toMatchObject([{ delivery: { id: '2.1' } }]);
      expect(await ledger.settle('1.1', { status: 'ok' })).toBe(true);
    });

    it('are leased to one of several who know them as they stand', async () => {
      const first = await owing();
      const answers = await Promise.all([1, 2, 3].map((n) => ledger.lease(first, new Date(soon().getTime() + n))));
      expect(answers).toEqual([true, false, false]);
      expect(await ledger.owed('p', { limit: 9 })).toEqual([]);
      const held = await delivery(first.id);
      expect(await ledger.lease(held, new Date(0))).toBe(true);
      expect(await ledger.lease(held, soon())).toBe(false);
      expect(await ledger.owed('p', { limit: 9 })).toHaveLength(1);
      await ledger.settle(first.id, { status: 'failed', attempts: 1, message: 'no' });
      expect(await ledger.lease({ ...held, due_at: null }, soon())).toBe(false);
      const until = soon();
      expect(await ledger.lease(await delivery(first.id), until)).toBe(true);
      const again = { status: 'owed', attempts: 0, message: null, settled_at: null, due_at: until.toISOString() };
      expect(await delivery(first.id)).toMatchObject(again);
      expect(await ledger.lease({ ...first, id: '99.1' }, soon())).toBe(false);
    });

    it('that are settled are owed no more and say what became of them', async () => {
      const { id } = await owing();
      const settlement = {
        status: 'warn',
        attempts: 2,
        exit_code: 3,
        signal: 'SIGTERM',
        http_status: 503,
        verdict: 'warn',
        message: 'slow',
        annotations: { lines: [1, 2] },
        duration_ms: 12.5,
      } as const;
      expect(await ledger.settle(id, settlement)).toBe(true);
      expect(await delivery(id)).toMatchObject(settlement);
      expect(Date.parse((await delivery(id)).settled_at ?? '')).not.toBeNaN();
      expect(await ledger.owed('p', { limit: 9 })).toEqual([]);
      expect(await ledger.owedPlugins()).toEqual([]);
    });

    it('many of them are settled at once, as far as they are there and owed', async () => {
      const [good, bad, done, sending] = [await owing('a'), await owing('b'), await owing('c'), await owing('d')];
      await ledger.settle(done.id, { status: 'ok', message: 'first' });
      const heard: string[] = [];
      ledger.on('settled', ({ id, status }) => heard.push(`${id} ${status}`));
      ledger.on('unsent', (plugin) => heard.push(`unsent ${plugin}`));
      await ledger.settleAll([
        { id: good.id, settlement: { status: 'ok', attempts: 1, http_status: 200, duration_ms: 0.5 } },
        { id: bad.id, settlement: { status: 'failed', message: 'gone' } },
        { id: done.id, settlement: { status: 'failed', message: 'second' } },
        { id: '77.7', settlement: { status: 'ok' } },
        { id: sending.id, settlement: { status: 'sending', request: { url: 'there' } } },
      ]);
      expect(await delivery(good.id)).toMatchObject({ status: 'ok', attempts: 1, http_status: 200, duration_ms: 0.5 });
      expect(await delivery(done.id)).toMatchObject({ status: 'ok', message: 'first' });
      expect(await ledger.failing()).toMatchObject([{ plugin: 'b', failures: 1, message: 'gone' }]);
      expect(heard).toEqual([`${good.id} ok`, `${bad.id} failed`, `${sending.id} sending`, 'unsent d']);
    });

    it('none of them is settled if one of many cannot be', async () => {
      const [good, bad] = [await owing('a'), await owing('b')];
      const ended = [
        { id: good.id, settlement: { status: 'ok' as const } },
        { id: bad.id, settlement: { status: 'ok' as const, exit_code: 1.5 } },
      ];
      await expect(ledger.settleAll(ended)).rejects.toMatchObject({ code: 'LEDGER_WRITE' });
      await expect(ledger.settleAll([{ id: 'none', settlement: { status: 'ok' } }])).rejects.toMatchObject({
        code: 'DELIVERY_UNKNOWN',
      });
      expect(await delivery(good.id)).toMatchObject({ status: 'owed' });
      await ledger.settleAll([]);
    });

    it('are settled once: what comes later changes nothing', async () => {
      const { id } = await owing();
      await ledger.settle(id, { status: 'ok', message: 'first' });
      expect(await ledger.settle(id, { status: 'failed', message: 'second' })).toBe(false);
      expect(await ledger.postpone(id, { attempts: 7 }, soon())).toBe(false);
      expect(await ledger.sent(id, { status: 'failed', attempts: 7 }, 1)).toBe(false);
      expect(await delivery(id)).toMatchObject({ status: 'ok', message: 'first', attempts: 0, due_at: null });
      expect(await ledger.failing()).toEqual([]);
    });

    it('are settled whatever was said of them', async () => {
      const [big, silent] = [await owing(), await owing()];
      await ledger.settle(big.id, { status: 'ok', annotations: { size: 1n } });
      await ledger.settle(silent.id, {
        status: 'ok',
        annotations: { toJSON: () => undefined },
        duration_ms: Number.NaN,
      });
      expect(await delivery(big.id)).toMatchObject({
        status: 'ok',
        annotations: { error: expect.stringContaining('JSON') },
      });
      expect(await delivery(silent.id)).toMatchObject({ status: 'ok', annotations: null, duration_ms: null });
    });

    it('know which others of their event are owed before them', async () => {
      const { deliveries } = await ledger.append(event('turn:accepted'), owes('a', 'b', 'a', 'c'));
      await owing('a');
      await ledger.settle('1.2', { status: 'ok' });
      expect(await Promise.all(deliveries.map(({ id }) => ledger.ahead(id)))).toEqual([
        [],
        [{ id: '1.1', plugin: 'a' }],
        [{ id: '1.1', plugin: 'a' }],
        [
          { id: '1.1', plugin: 'a' },
          { id: '1.3', plugin: 'a' },
        ],
      ]);
    });

    it('that are replayed are owed again, at once, with the same key', async () => {
      const { id, key } = await owing();
      await ledger.settle(id, { status: 'failed', attempts: 4, message: 'gone', exit_code: 1, annotations: {} });
      const again = await ledger.replay(id);
      expect(again).toMatchObject({ id, key, status: 'owed', attempts: 0, message: null, exit_code: null });
      expect(await ledger.owed('p', { limit: 9 })).toMatchObject([{ delivery: again }]);
    });

    it.each(['9.9', '1.0', 'x', '', '1', '1.1.1', '99999999999999999999.1'])('of id "%s" are unknown', async (id) => {
      await owing();
      const error = { code: 'DELIVERY_UNKNOWN' };
      await expect(ledger.settle(id, { status: 'ok' })).rejects.toMatchObject(error);
      await expect(ledger.postpone(id, { attempts: 1 }, soon())).rejects.toMatchObject(error);
      await expect(ledger.sent(id, { status: 'ok', attempts: 1 })).rejects.toMatchObject(error);
      await expect(ledger.replay(id)).rejects.toMatchObject(error);
      await expect(ledger.delivery(id)).rejects.toMatchObject(error);
    });

    it('of a plugin that goes are cancelled, and only those still owed', async () => {
      const [done, open, other] = [await owing('p'), await owing('p'), await owing('q')];
      await ledger.settle(done.id, { status: 'ok' });
      expect(await ledger.cancel('p', 'removed')).toBe(1);
      expect(await delivery(done.id)).toMatchObject({ status: 'ok' });
      expect(await delivery(open.id)).toMatchObject({ status: 'cancelled', message: 'removed' });
      expect(await delivery(other.id)).toMatchObject({ status: 'owed' });
      expect(await ledger.cancel('p', 'removed')).toBe(0);
    });

    it('one that is refused does not keep the others from being done', async () => {
      const { id } = await owing();
      const results = await Promise.allSettled([
        ledger.append(event('run:started')),
        ledger.settle('7.7', { status: 'ok' }),
        ledger.settle(id, { status: 'ok', exit_code: 1.5 }),
        ledger.append(event('run:started'), owes('a')),
        ledger.settle(id, { status: 'ok', exit_code: 0 }),
      ]);
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(results[2]).toMatchObject({ reason: { code: 'LEDGER_WRITE' } });
      expect(await all(ledger.events())).toHaveLength(3);
      expect(await delivery(id)).toMatchObject({ exit_code: 0 });
      expect(await ledger.verify()).toMatchObject({ ok: true, events: 3 });
    });
  });

  describe('handlers that keep failing', () => {
    const end = async (plugin: string, ...ends: Parameters<LedgerStore['settle']>[1][]) => {
      for (const settlement of ends) await ledger.settle((await owing(plugin)).id, settlement);
    };

    it('fail no more when one of theirs has gone well, also if all are settled at once', async () => {
      const all = [await owing('a'), await owing('a'), await owing('a')];
      const [first, second, third] = all.map(({ id }) => id) as [string, string, string];
      await Promise.all([
        ledger.settle(first, { status: 'ok' }),
        ledger.settle(second, { status: 'failed' }),
        ledger.settle(third, { status: 'ok' }),
      ]);
      expect(await ledger.failing()).toEqual([]);
    });

    it('fail no more when many of theirs have gone well at once, whether that they fail was known before or not', async () => {
      const all = [await owing('a'), await owing('a'), await owing('a'), await owing('a'), await owing('b')];
      const [first, second, third, fourth, other] = all.map(({ id }) => id) as [string, string, string, string, string];
      await Promise.all([
        ledger.settle(first, { status: 'failed' }),
        ledger.settleAll([second, third].map((id) => ({ id, settlement: { status: 'ok' } }))),
      ]);
      expect(await ledger.failing()).toEqual([]);
      await end('a', { status: 'failed' });
      await end('b', { status: 'failed' });
      await ledger.settleAll([fourth, second].map((id) => ({ id, settlement: { status: 'ok' } })));
      expect(await ledger.failing()).toMatchObject([{ plugin: 'b' }]);
      expect(await delivery(other)).toMatchObject({ status: 'owed' });
    });

    it('are told with how often in a row, most first', async () => {
      await end('a', { status: 'failed' }, { status: 'ok' }, { status: 'failed', message: 'gone' });
      await end('b', { status: 'failed' }, { status: 'skipped' }, { status: 'failed', message: 'last words' });
      await end('c', { status: 'failed' }, { status: 'refused' });
      const failing = await ledger.failing();
      expect(failing).toMatchObject([
        { plugin: 'b', handler: 'b#1', failures: 2, message: 'last words' },
        { plugin: 'a', handler: 'a#1', failures: 1, message: 'gone' },
      ]);
      expect(failing.map(({ last }) => Number.isNaN(Date.parse(last)))).toEqual([false, false]);
    });

    it('are forgotten when their plugin goes', async () => {
      await end('a', { status: 'failed' });
      await ledger.cancel('a', 'removed');
      expect(await ledger.failing()).toEqual([]);
    });
  });
}
