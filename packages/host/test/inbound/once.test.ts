import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { openBeside } from '../../../../test/store.ts';
import { type MakeRoutes, refused, serving } from './fixture.ts';

/** A route that counts, and answers what a test tells it to. */
function counting() {
  const calls: unknown[] = [];
  let answer: (payload: unknown) => unknown = () => ({ status: 201, body: { n: calls.length } });
  const make: MakeRoutes = () => [
    {
      path: '/in',
      handle: ({ payload }) => {
        calls.push(payload);
        return answer(payload) as never;
      },
    },
  ];
  return { calls, make, answers: (next: typeof answer) => (answer = next) };
}

const keyed = (key: string) => ({ 'idempotency-key': key });

describe('how a request was handled', () => {
  it('is durable when the next one is answered, or soon after if there is none', async () => {
    const { make } = counting();
    const at = await serving({ hook: make });
    for (const key of ['a', 'b', 'c']) await at.post('/in', {}, keyed(key));
    const statuses = (await at.deliveries()).map(({ status }) => status);
    expect(statuses.slice(0, 2)).toEqual(['ok', 'ok']);
    await eventually(async () => expect((await at.deliveries())[2]?.status).toBe('ok'));
  });
});

describe('the same delivery again', () => {
  it('gets the first answer, marked, at once and after a restart', async () => {
    const { calls, make } = counting();
    const at = await serving({ hook: make });
    const first = await at.post('/in', {}, keyed('a'));
    expect([first.status, await first.json(), first.headers.get('idempotent-replayed')]).toEqual([201, { n: 1 }, null]);
    const expectReplay = async (post: typeof at.post) => {
      const again = await post('/in', {}, keyed('a'));
      expect([again.status, await again.json(), again.headers.get('idempotent-replayed')]).toEqual([
        201,
        { n: 1 },
        'true',
      ]);
    };
    await expectReplay(at.post);
    await eventually(async () => expect((await at.deliveries())[0]?.status).toBe('ok'));
    await expectReplay(at.post);
    await at.stop();
    const next = await serving({ hook: make }, { dir: at.dir });
    await expectReplay(next.post);
    expect(calls).toHaveLength(1);
    expect(await next.received()).toHaveLength(1);
  });

  it('is another one on another route', async () => {
    const at = await serving({
      hook: () => ['/a', '/b'].map((path) => ({ path, handle: () => undefined })),
    });
    for (const path of ['/a', '/b', '/a']) await at.post(path, {}, keyed('a'));
    expect(await at.received()).toHaveLength(2);
  });

  it('is refused with 409 while the first one is handled', async () => {
    const { calls, make, answers } = counting();
    const bell = new EventEmitter();
    answers(() => once(bell, 'go').then(() => undefined));
    const at = await serving({ hook: make });
    const first = at.post('/in', {}, keyed('a'));
    await eventually(() => expect(calls).toHaveLength(1));
    const second = await at.post('/in', {}, keyed('a'));
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await refused(second)).toEqual([409, 'IN_PROGRESS']);
    bell.emit('go');
    expect((await first).status).toBe(200);
  });

  it('is handled again if handling it had failed', async () => {
    const { calls, make, answers } = counting();
    answers(() => {
      throw new Error('secret detail');
    });
    const at = await serving({ hook: make });
    const first = await at.post('/in', {}, keyed('a'));
    const text = await first.text();
    expect([first.status, text.includes('secret detail')]).toEqual([500, false]);
    await eventually(async () =>
      expect(await at.deliveries()).toMatchObject([{ status: 'failed', message: 'secret detail', http_status: 500 }]),
    );
    answers(() => ({ status: 503, body: 'not yet' }));
    expect((await at.post('/in', {}, keyed('a'))).status).toBe(503);
    await eventually(async () => expect(await at.deliveries()).toMatchObject([{ status: 'failed', http_status: 503 }]));
    answers(() => undefined);
    expect((await at.post('/in', {}, keyed('a'))).status).toBe(200);
    await eventually(async () => expect(await at.deliveries()).toMatchObject([{ status: 'ok' }]));
    expect(calls).toHaveLength(3);
    expect(await at.received()).toHaveLength(1);
    const failures = [];
    for await (const { payload } of at.ledger.events({ type: 'delivery:failed' })) failures.push(payload);
    expect(failures).toMatchObject([
      { plugin: 'hook', handler: '/in', error: 'secret detail' },
      { error: 'answered 503' },
    ]);
  });

  it.each([
    ['a text', 'nonsense'],
    ['a status that is none', { status: 99 }],
    ['what is no JSON', { body: () => 1 }],
  ])('fails where the handler answers %s', async (_, nonsense) => {
    const { make, answers } = counting();
    answers(() => nonsense);
    const at = await serving({ hook: make });
    expect(await refused(await at.post('/in'))).toEqual([500, 'HANDLER']);
  });
});

describe('a handler that takes long', () => {
  it('has its sender told that the request is stored; what it answers is kept', async () => {
    const { make, answers } = counting();
    const bell = new EventEmitter();
    answers(() => once(bell, 'go').then(() => ({ body: { late: true } })));
    const at = await serving({ hook: make }, { limits: { handlerMs: 50 } });
    const first = await at.post('/in', {}, keyed('a'));
    expect([first.status, await first.json()]).toEqual([202, { status: 'stored' }]);
    expect(await at.deliveries()).toMatchObject([{ status: 'owed' }]);
    bell.emit('go');
    await eventually(async () => expect(await at.deliveries()).toMatchObject([{ status: 'ok' }]));
    expect(await (await at.post('/in', {}, keyed('a'))).json()).toEqual({ late: true });
  });

  it('counts as failed when it does not end at all, and makes room', async () => {
    const { make, answers } = counting();
    answers(() => new Promise(() => {}));
    const at = await serving({ hook: make }, { limits: { handlerMs: 20, giveUpMs: 3000, atOnce: 1 } });
    expect((await at.post('/in')).status).toBe(202);
    expect(await refused(await at.post('/in'))).toEqual([503, 'BUSY']);
    await eventually(async () =>
      expect(await at.deliveries()).toMatchObject([{ status: 'failed', message: 'did not end within 3 s' }]),
    );
    expect((await at.post('/in')).status).toBe(202);
  });

  it('delays neither other routes nor other requests', async () => {
    const bell = new EventEmitter();
    bell.setMaxListeners(0);
    const at = await serving({
      slow: () => [{ path: '/slow', handle: () => once(bell, 'go').then(() => undefined) }],
      quick: () => [{ path: '/quick', handle: () => undefined }],
    });
    const slow = Array.from({ length: 20 }, () => at.post('/slow'));
    const quick = await Promise.all(Array.from({ length: 20 }, () => at.post('/quick')));
    expect(quick.map(({ status }) => status)).toEqual(quick.map(() => 200));
    const open = await Promise.race([Promise.any(slow).then(() => 'answered'), Promise.resolve('open')]);
    expect(open).toBe('open');
    await eventually(() => expect(bell.listenerCount('go')).toBe(20));
    bell.emit('go');
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(slow.map(() => 200));
  });
});

describe('a request that was stored and not handled', () => {
  it('is handled by the next host, once, and the run it begins is the same', async () => {
    let hang = true;
    const started: string[] = [];
    const make: MakeRoutes = ({ startRun }) => [
      {
        path: '/in',
        handle: async () => {
          const ids = await Promise.all([startRun({ input: 'a' }), startRun({ input: 'a' }), startRun({ input: 'b' })]);
          started.push(...ids);
          if (hang) await new Promise(() => {});
          return undefined;
        },
      },
    ];
    const limits = { handlerMs: 50, drainMs: 100 };
    const at = await serving({ hook: make }, { limits });
    expect((await at.post('/in', { x: 1 }, keyed('a'))).status).toBe(202);
    await at.stop();
    hang = false;
    const next = await serving({ hook: make }, { dir: at.dir, limits });
    await eventually(async () => expect(await next.deliveries()).toMatchObject([{ status: 'ok' }]));
    expect(started).toHaveLength(6);
    expect(new Set(started).size).toBe(3);
    const runs = (await next.runs()) as { run_id: string; status: string }[];
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual([...new Set(started)].sort());
  });

  it('waits for its plugin if that is not there, and for its route if that is paused', async () => {
    const { calls, make, answers } = counting();
    answers(() => new Promise(() => {}));
    const limits = { handlerMs: 20, drainMs: 100 };
    const at = await serving({ hook: make }, { limits });
    await at.post('/in', { n: 1 });
    await at.stop();
    const without = await serving({}, { dir: at.dir, limits });
    await without.stop();
    answers(() => undefined);
    const back = await serving({ hook: make }, { dir: at.dir, limits });
    await eventually(async () => expect(await back.deliveries()).toMatchObject([{ status: 'ok' }]));
    expect(calls).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('is handled again when it is replayed, here or by another process', async () => {
    const { calls, make } = counting();
    const at = await serving({ hook: make });
    await at.post('/in', { n: 1 });
    await eventually(async () => expect(await at.deliveries()).toMatchObject([{ status: 'ok' }]));
    const [delivery] = await at.deliveries();
    await at.ledger.replay(delivery?.id ?? '');
    await eventually(() => expect(calls).toHaveLength(2));
    await eventually(async () => expect(await at.deliveries()).toMatchObject([{ status: 'ok' }]));
    const beside = await openBeside(at.dir);
    await beside.replay(delivery?.id ?? '');
    await beside.close();
    await eventually(() => expect(calls).toHaveLength(3));
  });
});
