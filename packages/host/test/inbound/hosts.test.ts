import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import type { InboundLimits } from '../../src/inbound/index.ts';
import { pauseWebhooks, resumeWebhooks } from '../../src/inbound/index.ts';
import { queueOf } from '../../src/inbound/queues.ts';
import { type LedgerStore, newEvent } from '../../src/ledger/index.ts';
import { FakeHosts } from '../hosts/fake-peers.ts';
import { type MakeRoutes, refused, serving } from './fixture.ts';

let server: PostgresServer;
let database: string;
let hosts: FakeHosts;
/** Which host handled what, in order. */
let handled: string[];
let answer: (host: string) => unknown;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await server.database();
  hosts = new FakeHosts();
  handled = [];
  answer = (host) => ({ status: 201, body: { by: host } });
});

/** A host of its own, with its own folder, on the one database. */
function host(name: string, limits: Partial<InboundLimits> = {}) {
  const make: MakeRoutes = () => [
    {
      path: '/in',
      handle: ({ payload }) => {
        handled.push(`${name} ${(payload as { n?: number }).n ?? ''}`.trim());
        return answer(name) as never;
      },
    },
  ];
  return serving({ hook: make }, { limits, database, peers: hosts.host(name) });
}

const keyed = (key: string) => ({ 'idempotency-key': key });

/** Stores requests as a host would that has died since. */
async function left(ledger: LedgerStore, count: number, due_at: string | null = null): Promise<void> {
  const owes = [{ plugin: queueOf('hook'), handler: '/in', awaited: true, due_at }];
  const request = { plugin: 'hook', path: '/in', delivery_id: null, headers: {} };
  for (let n = 1; n <= count; n++)
    await ledger.append(newEvent('webhook:received', { ...request, body: JSON.stringify({ n }) }), owes);
}

const statuses = async (at: Awaited<ReturnType<typeof host>>) => (await at.deliveries()).map(({ status }) => status);

describe('a request that two hosts take at the same moment', { timeout: 120_000 }, () => {
  it('is handled once; the other host answers that, or that it is being handled', async () => {
    const [a, b] = await Promise.all([host('a'), host('b')]);
    for (let n = 0; n < 10; n++) {
      const replies = await Promise.all([a, b].map((one) => one.post('/in', {}, keyed(`k${n}`))));
      const kinds = replies.map(({ status, headers }) => `${status} ${headers.get('idempotent-replayed')}`).toSorted();
      expect(['201 null,201 true', '201 null,409 null']).toContain(kinds.join());
    }
    expect(handled).toHaveLength(10);
    await eventually(async () => expect(await statuses(a)).toEqual(Array(10).fill('ok')));
    const again = await Promise.all([a, b].map((one) => one.post('/in', {}, keyed('k0'))));
    expect(await Promise.all(again.map((one) => one.text()))).toEqual(Array(2).fill(`{"by":"${handled[0]}"}`));
    expect(handled).toHaveLength(10);
  });

  it('is refused with 409 by the one while the other handles it', async () => {
    const bell = new EventEmitter();
    answer = () => once(bell, 'go').then(() => undefined);
    const [a, b] = await Promise.all([host('a'), host('b')]);
    const first = a.post('/in', {}, keyed('k'));
    await eventually(() => expect(handled).toEqual(['a']));
    expect(await refused(await b.post('/in', {}, keyed('k')))).toEqual([409, 'IN_PROGRESS']);
    bell.emit('go');
    expect((await first).status).toBe(200);
    await eventually(async () => expect((await b.post('/in', {}, keyed('k'))).status).toBe(200));
    expect(handled).toEqual(['a']);
  });

  it('is handled once more, by one of them, if handling it had failed', async () => {
    answer = () => ({ status: 500, body: {} });
    const [a, b] = await Promise.all([host('a'), host('b')]);
    expect((await a.post('/in', {}, keyed('k'))).status).toBe(500);
    await eventually(async () => expect(await statuses(a)).toEqual(['failed']));
    answer = () => undefined;
    const replies = await Promise.all([a, b].map((one) => one.post('/in', {}, keyed('k'))));
    expect(replies.map(({ status }) => status)).toContain(200);
    await eventually(async () => expect(await statuses(b)).toEqual(['ok']));
    expect(handled).toHaveLength(2);
  });
});

describe('a request that one host handles', { timeout: 120_000 }, () => {
  it('is left alone by the others, however long it takes', async () => {
    const bell = new EventEmitter();
    answer = () => once(bell, 'go').then(() => undefined);
    const limits = { leaseMs: 1500, handlerMs: 50 };
    const [a, b] = await Promise.all([host('a', limits), host('b', limits)]);
    expect((await a.post('/in')).status).toBe(202);
    const dues = new Set<string | null>();
    await eventually(async () => {
      for (const { due_at } of await b.deliveries()) dues.add(due_at);
      expect(dues.size).toBeGreaterThan(4);
    });
    expect(handled).toEqual(['a']);
    bell.emit('go');
    await eventually(async () => expect(await statuses(b)).toEqual(['ok']));
    expect(handled).toEqual(['a']);
  });

  it('is handled by another one when it is due and its host says nothing any more', async () => {
    const b = await host('b', { leaseMs: 1000 });
    const until = Date.now() + 700;
    await left(b.ledger, 1, new Date(until).toISOString());
    await eventually(() => expect(handled).toEqual(['b 1']));
    expect(Date.now()).toBeGreaterThanOrEqual(until);
    await eventually(async () => expect(await statuses(b)).toEqual(['ok']));
  });

  it('is handled by another one at once when its host is ended meanwhile', async () => {
    answer = () => new Promise(() => {});
    const limits = { handlerMs: 50, drainMs: 50 };
    const [a, b] = await Promise.all([host('a', limits), host('b', limits)]);
    expect((await a.post('/in')).status).toBe(202);
    answer = () => undefined;
    await a.stop();
    await eventually(async () => expect(await statuses(b)).toEqual(['ok']));
    expect(handled).toEqual(['a', 'b']);
  });
});

describe('stored requests of a plugin', { timeout: 120_000 }, () => {
  it('are each handled once, by whichever host has that duty', async () => {
    const [a, b] = await Promise.all([host('a'), host('b')]);
    await left(a.ledger, 30);
    await Promise.all([a, b].map((one) => one.ledger.setNote('look', 'again')));
    await eventually(async () => expect(new Set(await statuses(a))).toEqual(new Set(['ok'])));
    const all = Array.from({ length: 30 }, (_, n) => `${n + 1}`).toSorted();
    expect(handled.map((one) => one.split(' ')[1]).toSorted()).toEqual(all);
    expect(hosts.taken.every((one) => one.endsWith(' duty inbox:hook'))).toBe(true);
  });

  it('wait for the host that has the duty, and are handled when it gives it back', async () => {
    const claim = await hosts.host('c').take('duty', 'inbox:hook');
    const a = await host('a');
    await left(a.ledger, 3);
    for (const { id } of await a.deliveries()) await a.ledger.replay(id);
    await a.post('/in', { n: 9 });
    await eventually(async () => expect((await statuses(a)).at(-1)).toBe('ok'));
    expect(handled).toEqual(['a 9']);
    await claim?.release();
    await eventually(() => expect(handled.toSorted()).toEqual(['a 1', 'a 2', 'a 3', 'a 9']));
  });
});

describe('a pause', { timeout: 120_000 }, () => {
  it('is heeded by all hosts, whichever of them was told', async () => {
    const [a, b] = await Promise.all([host('a'), host('b')]);
    await pauseWebhooks(a.ledger, a.dir, '/in');
    for (const one of [a, b]) await eventually(async () => expect((await one.post('/in')).status).toBe(503));
    await resumeWebhooks(b.ledger, b.dir, null);
    for (const one of [a, b]) await eventually(async () => expect((await one.post('/in')).status).toBe(201));
  });
});
