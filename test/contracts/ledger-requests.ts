import { beforeEach, describe, expect, it } from 'vitest';
import type { AnyPayload, Delivery, LedgerStore } from '../../packages/host/src/ledger/store.ts';
import { chat, event, owes } from './ledger-parts.ts';

const now = new Date();
const soon = new Date(now.getTime() + 3_600_000);
const before = new Date(now.getTime() - 1000);
const request = { url: 'http://receiver.example', body: { deep: [1, 'ü', null] } };

/** What every store of the ledger must do with requests that deliveries ask for. `of` gives the one of the present test. */
export function requestContract(of: () => LedgerStore): void {
  let ledger: LedgerStore;
  beforeEach(() => {
    ledger = of();
  });
  /** A delivery that asks for a request. */
  const asking = async (plugin = 'p', payload: AnyPayload = event('turn:accepted')): Promise<Delivery> => {
    const { deliveries } = await ledger.append(payload, owes(plugin));
    const [{ id } = { id: '' }] = deliveries;
    await ledger.settle(id, { status: 'sending', attempts: 0, verdict: 'ok', request });
    return ledger.delivery(id);
  };
  const ids = async (which: 'first' | 'again', limit = 9, plugin = 'p') =>
    (await ledger.unsent(plugin, which, { limit, now })).map(({ delivery }) => delivery.id);

  describe('requests', () => {
    it('are kept with the delivery that asks for them, which is owed no more and not at its end', async () => {
      const one = await asking();
      expect(one).toMatchObject({ status: 'sending', verdict: 'ok', request, settled_at: null, due_at: null });
      expect(Date.parse(one.asked_at ?? '')).not.toBeNaN();
      expect(await ledger.owedPlugins()).toEqual([]);
      expect(await ledger.unsentPlugins(now)).toEqual([{ plugin: 'p', count: 1, due_at: null }]);
      const [{ delivery, event } = {}] = await ledger.unsent('p', 'first', { limit: 9, now });
      expect([delivery, event?.type]).toEqual([one, 'turn:accepted']);
    });

    it('are asked for once: what is said of the delivery later changes nothing', async () => {
      const one = await asking();
      expect(await ledger.settle(one.id, { status: 'sending', request: { url: 'elsewhere' } })).toBe(false);
      expect(await ledger.settle(one.id, { status: 'failed' })).toBe(false);
      expect(await ledger.delivery(one.id)).toEqual(one);
    });

    it('that were never sent come in the order of events, the others when they are due, the oldest first', async () => {
      const [a, b, c, d] = [await asking(), await asking(), await asking(), await asking('q')];
      expect(await ids('first')).toEqual([a.id, b.id, c.id]);
      expect(await ids('first', 2)).toEqual([a.id, b.id]);
      expect(await ids('first', 9, 'q')).toEqual([d.id]);
      const failure = { attempts: 1, http_status: 503, message: 'not now', duration_ms: 3 };
      expect(await ledger.postpone(a.id, failure, before)).toBe(true);
      await ledger.postpone(b.id, { attempts: 2 }, new Date(before.getTime() - 1000));
      await ledger.postpone(c.id, { attempts: 3 }, soon);
      expect(await ids('first')).toEqual([]);
      expect(await ids('again')).toEqual([b.id, a.id]);
      expect(await ids('again', 1)).toEqual([b.id]);
      expect(await ledger.delivery(a.id)).toMatchObject({
        ...failure,
        status: 'sending',
        due_at: before.toISOString(),
      });
      expect(await ledger.unsentPlugins(now)).toEqual([
        { plugin: 'p', count: 3, due_at: soon.toISOString() },
        { plugin: 'q', count: 1, due_at: null },
      ]);
    });

    it('that have arrived say so, and keep what was asked for', async () => {
      const one = await asking();
      await ledger.postpone(one.id, { attempts: 1, message: 'not now' }, before);
      expect(await ledger.sent(one.id, { status: 'ok', attempts: 2, http_status: 204, duration_ms: 1.5 })).toBe(true);
      const arrived = { status: 'ok', attempts: 2, http_status: 204, duration_ms: 1.5, message: null, due_at: null };
      expect(await ledger.delivery(one.id)).toMatchObject({ ...arrived, verdict: 'ok', request });
      expect((await ledger.delivery(one.id)).settled_at).not.toBeNull();
      expect(await ledger.unsentPlugins(now)).toEqual([]);
    });

    it('are sent again by a replay, or asked for anew', async () => {
      const { id, key } = await asking();
      await ledger.sent(id, { status: 'failed', attempts: 8, http_status: 500, message: 'broken' });
      const again = { id, key, status: 'sending', attempts: 0, message: null, http_status: null, request };
      expect(await ledger.replay(id)).toMatchObject(again);
      expect(await ids('first')).toEqual([id]);
      await ledger.postpone(id, { attempts: 1 }, soon);
      expect(await ledger.replay(id)).toMatchObject({ status: 'sending', due_at: null });
      const anew = { id, key, status: 'owed', request: null, asked_at: null, verdict: null };
      expect(await ledger.replay(id, { evaluate: true })).toMatchObject(anew);
      expect(await ids('first')).toEqual([]);
      expect(await ledger.settle(id, { status: 'ok' })).toBe(true);
    });

    it('of a plugin that goes are cancelled', async () => {
      const { id } = await asking();
      expect(await ledger.cancel('p', 'removed')).toBe(1);
      expect(await ledger.delivery(id)).toMatchObject({ status: 'cancelled', message: 'removed', due_at: null });
    });

    it('that are to be sent keep their events from being pruned', async () => {
      const { id } = await asking('p', chat(null, 'hello'));
      expect(await ledger.prune(soon)).toEqual({ events: 0 });
      await ledger.sent(id, { status: 'ok', attempts: 1 });
      expect(await ledger.prune(soon)).toEqual({ events: 1 });
    });

    it('are told of as they become durable', async () => {
      const heard: string[] = [];
      ledger.on('unsent', (plugin) => heard.push(plugin));
      const { id } = await asking();
      expect(heard).toEqual(['p']);
      await ledger.replay(id);
      expect(heard).toEqual(['p', 'p']);
    });

    it('tell what becomes of them', async () => {
      const heard: string[] = [];
      ledger.on('settled', ({ status, attempts }) => heard.push(`${status} ${attempts}`));
      const { id } = await asking();
      await ledger.postpone(id, { attempts: 1 }, soon);
      await ledger.sent(id, { status: 'ok', attempts: 2 });
      await ledger.sent(id, { status: 'failed', attempts: 3 });
      expect(heard).toEqual(['sending 0', 'sending 1', 'ok 2']);
    });
  });

  describe('endpoints', () => {
    const lose = async (limit: number | null, message = 'down') =>
      ledger.sent((await asking()).id, { status: 'failed', attempts: 8, message }, limit);

    it('to which requests do not arrive are told, and disabled at a number of them in a row', async () => {
      await lose(3);
      await lose(3, 'still down');
      expect(await ledger.endpoints()).toMatchObject([
        { plugin: 'p', handler: 'p#1', failures: 2, message: 'still down', disabled_at: null },
      ]);
      await lose(3);
      const [endpoint] = await ledger.endpoints();
      expect(endpoint).toMatchObject({ failures: 3 });
      expect(Date.parse(endpoint?.disabled_at ?? '')).not.toBeNaN();
      expect(await ledger.failing()).toEqual([]);
    });

    it('are forgiven when one arrives, when the plugin is revived, and when it goes', async () => {
      await lose(3);
      await ledger.sent((await asking()).id, { status: 'ok', attempts: 1 });
      expect(await ledger.endpoints()).toEqual([]);
      await lose(1);
      expect(await ledger.revive('p')).toBe(1);
      expect(await ledger.revive('p')).toBe(0);
      expect(await ledger.endpoints()).toEqual([]);
      await lose(1);
      await ledger.cancel('p', 'removed');
      expect(await ledger.endpoints()).toEqual([]);
    });

    it('get another chance by a replay, which one more failure ends', async () => {
      await lose(1);
      const { id } = await asking();
      await ledger.replay(id);
      expect(await ledger.endpoints()).toMatchObject([{ failures: 1, disabled_at: null }]);
      await ledger.sent(id, { status: 'failed', attempts: 8 }, 2);
      expect(await ledger.endpoints()).toMatchObject([{ failures: 2, disabled_at: expect.any(String) }]);
    });

    it('do not count what was not their fault', async () => {
      await lose(null);
      expect(await ledger.endpoints()).toEqual([]);
    });
  });
}
