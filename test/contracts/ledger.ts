import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newEvent } from '../../packages/host/src/ledger/event.ts';
import type { LedgerStore } from '../../packages/host/src/ledger/store.ts';
import { deliveryContract } from './ledger-deliveries.ts';
import { noteContract } from './ledger-notes.ts';
import { all, chat, event, owes } from './ledger-parts.ts';
import { requestContract } from './ledger-requests.ts';
import { runContract } from './ledger-runs.ts';

/** A ledger under test: `again` gives another connection to the same one, as another process would have it. */
export interface Opened {
  readonly ledger: LedgerStore;
  readonly again: () => Promise<LedgerStore>;
  /** Whatever the test made is gone after this. Ledgers have been closed before. */
  readonly remove: () => Promise<void> | void;
}

/** What every store of the ledger must do, whatever it is made of. */
export function ledgerContract(name: string, open: () => Promise<Opened>): void {
  describe(`the contract of a ledger: ${name}`, () => {
    let opened: Opened;
    let ledger: LedgerStore;
    let others: LedgerStore[];
    const another = async () => {
      const other = await opened.again();
      others.push(other);
      return other;
    };
    beforeEach(async () => {
      opened = await open();
      ledger = opened.ledger;
      others = [];
    });
    afterEach(async () => {
      for (const one of [ledger, ...others]) await one.close();
      await opened.remove();
    });

    describe('appending', () => {
      it('keeps an event with everything that was said of it', async () => {
        const payload = event('turn:accepted');
        const { event: kept, known } = await ledger.append(payload);
        expect(known).toBe(false);
        expect(kept).toMatchObject({ id: payload.event_id, type: 'turn:accepted', run_id: 'run-1', turn_id: 'turn-2' });
        expect(kept.payload).toEqual(payload);
        const read = await ledger.event(payload.event_id);
        expect(read?.payload).toEqual(payload);
        expect(JSON.stringify(read)).toBe(JSON.stringify(kept));
        expect(JSON.parse(JSON.stringify(kept)).payload).toEqual(payload);
      });

      it('gives each event the next place', async () => {
        const appended = await Promise.all([1, 2, 3].map(() => ledger.append(event('run:started'))));
        expect(appended.map((one) => one.event.seq)).toEqual([1, 2, 3]);
      });

      it('keeps what the event owes, in order, with an idempotency key each', async () => {
        const payload = event('turn:accepted');
        const { deliveries } = await ledger.append(payload, [
          { plugin: 'b', handler: 'b#1', awaited: true, version: '1.2.3', digest: 'sha512-x' },
          { plugin: 'a', handler: 'a#1' },
        ]);
        expect(deliveries).toMatchObject([
          { id: '1.1', key: `${payload.event_id}.1`, plugin: 'b', awaited: true, plugin_version: '1.2.3' },
          { id: '1.2', key: `${payload.event_id}.2`, plugin: 'a', awaited: false, plugin_version: null },
        ]);
        expect(deliveries.map(({ status, attempts, due_at }) => [status, attempts, due_at])).toEqual([
          ['owed', 0, null],
          ['owed', 0, null],
        ]);
        expect(await all(ledger.deliveries())).toEqual(deliveries);
      });

      it('changes nothing for an id that is there, and gives what is kept', async () => {
        const payload = event('turn:accepted');
        const first = await ledger.append(payload, owes('a'));
        const second = await ledger.append({ ...payload, summary: 'another' }, owes('b', 'c'));
        expect(second).toEqual({ ...first, known: true });
        const both = await Promise.all([ledger.append(event('run:started')), ledger.append(payload)]);
        expect(both.map(({ known, event }) => [known, event.seq])).toEqual([
          [false, 2],
          [true, 1],
        ]);
        expect(await all(ledger.events())).toHaveLength(2);
      });

      it.each([
        ['a field of the wrong type', { ...event('turn:accepted'), summary: 3 }, 'summary'],
        ['a field that is missing', { ...event('turn:accepted'), cost: undefined }, 'cost'],
        ['a field that is not known', { ...event('turn:accepted'), colour: 'red' }, ''],
        ['a time that is none', { ...event('turn:accepted'), at: 'yesterday' }, 'at'],
        ['an event that is not known', { ...event('turn:accepted'), event: 'turn:acepted' }, 'event'],
        ['no event at all', null, 'event'],
        ['what JSON cannot hold', { ...event('agent:trace'), data: { size: 1n } }, undefined],
      ])('refuses %s, and keeps nothing', async (_, payload, field) => {
        const appending = ledger.append(payload as never);
        await expect(appending).rejects.toMatchObject({ code: 'EVENT_INVALID', field });
        expect(await all(ledger.events())).toEqual([]);
      });

      it('keeps any text', async () => {
        const texts = ['', 'é 漢字 🎛', 'a\0b', 'half \ud83c', "it's; DROP TABLE events; --", '\n'.repeat(3)];
        for (const text of texts) await ledger.append(chat(text, text), [{ plugin: text, handler: text }]);
        const payloads = (await all(ledger.events())).map(({ payload }) => payload);
        expect(payloads.map((payload) => 'content' in payload && payload.content)).toEqual(texts);
        for (const text of texts.filter((one) => one.isWellFormed())) {
          expect(await all(ledger.events({ run: text }))).toHaveLength(1);
          expect(await ledger.owed(text, { limit: 9 })).toHaveLength(1);
        }
        expect(await ledger.verify()).toMatchObject({ ok: true, events: texts.length });
      });
    });

    describe('reading', () => {
      const contents = async (...filter: Parameters<LedgerStore['events']>) =>
        (await all(ledger.events(...filter))).map(({ payload }) => ('content' in payload ? payload.content : ''));

      it('gives the events of a run, of a kind, of a time, after a place', async () => {
        await ledger.append(chat('run-1', 'a', '2026-01-01T00:00:00Z'));
        await ledger.append(chat('run-2', 'b', '2026-01-03T00:00:00Z'));
        await ledger.append(chat('run-1', 'c', '2026-01-02T00:00:00.5Z'));
        await ledger.append(event('turn:accepted'));
        await ledger.append(event('turn:rejected'));
        expect(await contents({ run: 'run-1', type: 'message:received' })).toEqual(['a', 'c']);
        expect(await contents({ type: 'message:*', since: new Date('2026-01-02') })).toEqual(['b', 'c']);
        expect(await contents({ type: 'message:*', until: new Date('2026-01-02T00:00:01Z') })).toEqual(['a', 'c']);
        expect(await contents({ type: 'message:*', afterSeq: 1 })).toEqual(['b', 'c']);
        expect(await contents({ since: new Date('2030-01-01') })).toEqual([]);
        expect(await contents({ until: new Date('2026-01-02T12:00:00Z'), newestFirst: true })).toEqual([
          '',
          '',
          'c',
          'a',
        ]);
        const kinds = async (type: string) => (await all(ledger.events({ type }))).map((one) => one.type);
        expect(await kinds('turn:*')).toEqual(['turn:accepted', 'turn:rejected']);
        expect(await kinds('turn:rejected')).toEqual(['turn:rejected']);
        expect(await kinds('*:re*')).toHaveLength(4);
        expect(await kinds('turn:?ccepted*')).toEqual([]);
        expect(await kinds('turn')).toEqual([]);
      });

      it('gives what was said in a chat, and that it was cleared, whatever else happened there', async () => {
        const of = (chat_jid: string, content: string) => ({ ...chat(null, content), chat_jid });
        for (const payload of [of('one', 'a'), of('two', 'b'), of('one', 'c')]) await ledger.append(payload);
        const activity = newEvent('agent:activity', { chat_jid: 'one', active: true });
        await ledger.append(activity);
        await ledger.append(newEvent('chat:cleared', { chat_jid: 'one' }));
        await ledger.append(of('one', 'it\'s "d"'));
        expect(await contents({ chat: 'one' })).toEqual(['a', 'c', '', 'it\'s "d"']);
        expect(await contents({ chat: 'one', newestFirst: true, limit: 2 })).toEqual(['it\'s "d"', '']);
        expect(await contents({ chat: 'one', type: 'message:received', beforeSeq: 4 })).toEqual(['a', 'c']);
        expect(await contents({ chat: 'one', type: 'message:*' })).toEqual(['a', 'c', 'it\'s "d"']);
        expect(await contents({ chat: 'three' })).toEqual([]);
      });

      it('gives the newest first, and no more than is wanted', async () => {
        await Promise.all(Array.from({ length: 700 }, (_, i) => ledger.append(chat(null, String(i)))));
        const numbers = Array.from({ length: 700 }, (_, i) => String(i));
        expect(await contents()).toEqual(numbers);
        expect(await contents({ newestFirst: true })).toEqual(numbers.toReversed());
        expect(await contents({ limit: 300 })).toEqual(numbers.slice(0, 300));
        expect(await contents({ newestFirst: true, limit: 2 })).toEqual(['699', '698']);
        expect(await contents({ beforeSeq: 3 })).toEqual(['0', '1']);
        expect(await contents({ beforeSeq: 300, newestFirst: true, limit: 2 })).toEqual(['298', '297']);
        expect(await contents({ limit: 0 })).toEqual([]);
      });

      it('knows no event of an id that was never appended', async () => {
        expect(await ledger.event('nobody')).toBeUndefined();
      });

      it('gives deliveries by event, plugin, handler, status and run', async () => {
        await ledger.append(event('turn:accepted', 'run-1'), [...owes('a', 'b'), { plugin: 'a', handler: 'a#2' }]);
        await ledger.append(event('run:started', 'run-2'), owes('a'));
        await ledger.settle('1.1', { status: 'failed' });
        await ledger.settle('1.2', { status: 'ok' });
        const ids = async (...filter: Parameters<LedgerStore['deliveries']>) =>
          (await all(ledger.deliveries(...filter))).map(({ id }) => id);
        expect(await ids({ plugin: 'a' })).toEqual(['1.1', '1.3', '2.1']);
        expect(await ids({ plugin: 'a', newestFirst: true, limit: 2 })).toEqual(['2.1', '1.3']);
        expect(await ids({ plugin: 'a', newestFirst: true, limit: 1, after: '2.1' })).toEqual(['1.3']);
        expect(await ids({ handler: 'a#2' })).toEqual(['1.3']);
        expect(await ids({ event: 'turn:*' })).toEqual(['1.1', '1.2', '1.3']);
        expect(await ids({ run: 'run-2' })).toEqual(['2.1']);
        expect(await ids({ status: ['failed'] })).toEqual(['1.1']);
        expect(await ids({ status: ['ok', 'failed'], newestFirst: true })).toEqual(['1.2', '1.1']);
        expect(await ids({ status: [] })).toEqual([]);
      });

      it('gives all deliveries of many, from either end', async () => {
        const appended = await Promise.all(
          Array.from({ length: 200 }, () => ledger.append(event('turn:accepted'), owes('a', 'b', 'c'))),
        );
        const ids = appended.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
        expect((await all(ledger.deliveries())).map(({ id }) => id)).toEqual(ids);
        expect((await all(ledger.deliveries({ newestFirst: true }))).map(({ id }) => id)).toEqual(ids.toReversed());
      });
    });

    deliveryContract(() => ledger);
    requestContract(() => ledger);
    runContract(() => ledger, another);
    noteContract(() => ledger, another);

    describe('retention', () => {
      const old = '2020-01-01T00:00:00.000Z';
      const line = new Date('2021-01-01');

      it('removes old events from the beginning, with their deliveries, and the chain still holds', async () => {
        for (const content of ['a', 'b', 'c']) {
          const { deliveries } = await ledger.append(chat('run-1', content, old), owes('p'));
          await ledger.settle(deliveries[0]?.id ?? '', { status: 'ok' });
        }
        await ledger.append(chat('run-1', 'd'));
        const before = await ledger.verify();
        expect(await ledger.prune(line)).toEqual({ events: 3 });
        expect((await all(ledger.events())).map(({ seq }) => seq)).toEqual([4]);
        expect(await all(ledger.deliveries())).toEqual([]);
        expect(await ledger.verify()).toEqual({ ok: true, events: 1, head: before.head });
        expect((await ledger.append(chat('run-1', 'e'))).event.seq).toBe(5);
        expect(await ledger.verify()).toMatchObject({ ok: true, events: 2 });
      });

      it('stops at the first event that still owes something, and at the first that is younger', async () => {
        await ledger.append(chat(null, 'a', old));
        await ledger.append(chat(null, 'b', old), owes('p'));
        await ledger.append(chat(null, 'c', old));
        expect(await ledger.prune(line)).toEqual({ events: 1 });
        await ledger.settle('2.1', { status: 'failed' });
        await ledger.append(chat(null, 'd'));
        await ledger.append(chat(null, 'e', old));
        expect(await ledger.prune(line)).toEqual({ events: 2 });
        expect((await all(ledger.events())).map(({ seq }) => seq)).toEqual([4, 5]);
        expect(await ledger.verify()).toMatchObject({ ok: true, events: 2 });
      });

      it('may remove everything: places are not used again and the chain goes on', async () => {
        await Promise.all(Array.from({ length: 1200 }, () => ledger.append(chat(null, 'x', old))));
        const { head } = await ledger.verify();
        expect(await ledger.prune(line)).toEqual({ events: 1200 });
        expect(await ledger.prune(line)).toEqual({ events: 0 });
        expect(await ledger.verify()).toEqual({ ok: true, events: 0, head });
        expect((await ledger.append(chat(null, 'y'))).event.seq).toBe(1201);
        expect(await ledger.verify()).toMatchObject({ ok: true, events: 1 });
      });
    });

    describe('the chain', () => {
      it('of an empty ledger holds', async () => {
        expect(await ledger.verify()).toEqual({ ok: true, events: 0, head: null });
      });

      it('ends with the hash of the last event', async () => {
        await ledger.append(event('run:started'));
        const { event: last } = await ledger.append(event('run:completed'));
        expect(await ledger.verify()).toEqual({ ok: true, events: 2, head: last.hash });
      });
    });

    describe('hearing', () => {
      it('tells of what is durable, in order, until it is undone', async () => {
        const heard: string[] = [];
        const undo = [
          ledger.on('appended', ({ event, deliveries }) => heard.push(`appended ${event.seq} ${deliveries.length}`)),
          ledger.on('settled', ({ id, status, event }) => heard.push(`settled ${id} ${status} ${event}`)),
          ledger.on('replayed', ({ id, status }) => heard.push(`replayed ${id} ${status}`)),
        ];
        const payload = event('turn:accepted');
        await ledger.append(payload, owes('a'));
        await ledger.append(payload);
        await ledger.settle('1.1', { status: 'ok' });
        await ledger.settle('1.1', { status: 'failed' });
        await Promise.all([ledger.replay('1.1'), ledger.settle('1.1', { status: 'failed' })]);
        const expected = [
          'appended 1 1',
          'settled 1.1 ok turn:accepted',
          'replayed 1.1 owed',
          'settled 1.1 failed turn:accepted',
        ];
        expect(heard).toEqual(expected);
        for (const off of undo) off();
        await ledger.append(event('run:started'));
        expect(heard).toEqual(expected);
      });

      it('tells that somebody else has changed something', async () => {
        const other = await another();
        const heard = new Promise<void>((resolve) => {
          ledger.on('elsewhere', (what) => {
            if (what?.runs.includes('run-7') ?? true) resolve();
          });
        });
        await other.append({ ...event('run:started'), run_id: 'run-7' });
        await heard;
      });
    });

    describe('following', () => {
      it('gives what is there, what comes, and what others append, once and in order', async () => {
        const other = await another();
        const ending = new AbortController();
        await ledger.append(chat('run-1', 'a'));
        const seen: number[] = [];
        const steps = [
          () => ledger.append(chat('run-1', 'b')),
          () => other.append(chat('run-2', 'not this run')),
          () => other.append(chat('run-1', 'c')),
          () => Promise.all([other.append(chat('run-1', 'd')), ledger.append(chat('run-1', 'e'))]),
        ];
        for await (const { seq } of ledger.follow({ run: 'run-1' }, ending.signal)) {
          seen.push(seq);
          if (seen.length === 5) ending.abort();
          await steps.shift()?.();
          if (seen.length === 2) await steps.shift()?.();
        }
        expect(seen).toEqual([1, 2, 4, 5, 6]);
      });

      it('ends when the ledger is closed', async () => {
        const signal = new AbortController().signal;
        await ledger.append(event('run:started'));
        const followed: number[] = [];
        for await (const { seq } of ledger.follow({}, signal)) {
          followed.push(seq);
          setImmediate(() => void ledger.close());
        }
        expect(followed).toEqual([1]);
      });

      it('gives nothing after it was ended', async () => {
        await ledger.append(event('run:started'));
        expect(await all(ledger.follow({}, AbortSignal.abort()))).toEqual([]);
      });
    });

    describe('closing', () => {
      it('makes durable what was asked for before', async () => {
        const appending = [1, 2, 3].map(() => ledger.append(event('run:started'), owes('a')));
        await ledger.close();
        await ledger.close();
        expect(await Promise.all(appending)).toHaveLength(3);
        const reopened = await another();
        expect(await all(reopened.events())).toHaveLength(3);
        expect(await reopened.owed('a', { limit: 9 })).toHaveLength(3);
      });

      it('refuses what is asked for afterwards', async () => {
        await ledger.close();
        const error = { code: 'LEDGER_WRITE' };
        await expect(ledger.append(event('run:started'))).rejects.toMatchObject(error);
        await expect(ledger.settle('1.1', { status: 'ok' })).rejects.toMatchObject(error);
        await expect(ledger.owed('a', { limit: 1 })).rejects.toMatchObject(error);
        await expect(all(ledger.events())).rejects.toMatchObject(error);
      });
    });
  });
}
