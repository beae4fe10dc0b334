import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { folder } from '../../../../test/project.ts';
import { openHost } from '../../src/host.ts';
import { handleStored, listWebhooks, pauseWebhooks, resumeWebhooks } from '../../src/inbound/index.ts';
import { openLedger } from '../../src/ledger/index.ts';
import { Bench, moduleForm } from '../host/fixture.ts';
import { echo, refused, routing, serving } from './fixture.ts';

const twoRoutes = () => ['/a', '/b'].map((path) => ({ path, handle: () => undefined }));

describe('routes that are paused', () => {
  it('refuse requests at once, over a restart too, until they are resumed', async () => {
    const at = await serving({ hook: twoRoutes });
    await pauseWebhooks(at.ledger, at.dir, '/a');
    await eventually(async () => expect((await at.post('/a')).status).toBe(503));
    const answer = await at.post('/a');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused(answer)).toEqual([503, 'PAUSED']);
    expect((await at.post('/b')).status).toBe(200);
    await at.stop();
    const next = await serving({ hook: twoRoutes }, { dir: at.dir });
    expect((await next.post('/a')).status).toBe(503);
    await resumeWebhooks(next.ledger, at.dir, '/a');
    await eventually(async () => expect((await next.post('/a')).status).toBe(200));
  });

  it('may be all of them; resuming all resumes those that were paused one by one', async () => {
    const at = await serving({ hook: twoRoutes });
    await pauseWebhooks(at.ledger, at.dir, null);
    await pauseWebhooks(at.ledger, at.dir, '/b');
    await eventually(async () => expect((await at.post('/a')).status).toBe(503));
    await resumeWebhooks(at.ledger, at.dir, null);
    await eventually(async () => expect((await at.post('/b')).status).toBe(200));
  });

  it('have what is stored handled when they are resumed', async () => {
    let calls = 0;
    const make = () => [{ path: '/in', handle: () => (++calls === 1 ? new Promise<undefined>(() => {}) : undefined) }];
    const limits = { handlerMs: 20, drainMs: 50 };
    const at = await serving({ hook: make }, { limits });
    await at.post('/in');
    await at.stop();
    const beside = await openLedger(join(at.dir, '.patchbay/ledger.db'));
    await pauseWebhooks(beside, at.dir, '/in');
    await beside.close();
    const next = await serving({ hook: make }, { dir: at.dir, limits });
    expect(calls).toBe(1);
    expect(await listWebhooks(next.host.kernel, at.dir, next.ledger)).toEqual([
      { path: '/in', plugin: 'hook', scheme: 'none', state: 'paused', received: 1, failed: 0, waiting: 1 },
    ]);
    await resumeWebhooks(next.ledger, at.dir, '/in');
    await eventually(async () => expect(await next.deliveries()).toMatchObject([{ status: 'ok' }]));
    expect(calls).toBe(2);
  });
});

describe('what an earlier version has paused', () => {
  it('stays so, and is a note from then on', async () => {
    const dir = folder({ 'patchbay.yaml': '', '.patchbay/paused-webhooks/%2Fa': '2026-01-01T00:00:00.000Z\n' });
    const old = join(dir, '.patchbay/paused-webhooks');
    const at = await serving({ hook: twoRoutes }, { dir });
    expect((await at.post('/a')).status).toBe(503);
    expect((await at.post('/b')).status).toBe(200);
    expect(existsSync(old)).toBe(false);
    await resumeWebhooks(at.ledger, dir, '/a');
    await eventually(async () => expect((await at.post('/a')).status).toBe(200));
  });
});

describe('stored requests without a server', () => {
  it('are handled by whoever asks for it, as a server would', async () => {
    let calls = 0;
    const make = () => [{ path: '/in', handle: () => (++calls === 1 ? new Promise<undefined>(() => {}) : undefined) }];
    const at = await serving({ hook: make }, { limits: { handlerMs: 20, drainMs: 50 } });
    await at.post('/in');
    await at.stop();
    const host = await openHost({ cwd: at.dir, version: '0.0.0' });
    onTestFinished(() => host.close());
    const service = await host.start();
    host.load(routing('hook', make));
    const { kernel, project } = host;
    if (project === undefined) throw new Error('there is no project');
    await handleStored({ kernel, service, project });
    expect(calls).toBe(2);
    for await (const { status } of service.ledger.deliveries()) expect(status).toBe('ok');
  });
});

describe('a server that is closed', () => {
  it('answers what is under way, takes nothing new, and closes idle connections', async () => {
    const bell = new EventEmitter();
    const handle = () => once(bell, 'go').then(() => ({ body: 'done' }));
    const at = await serving({ hook: () => [{ path: '/in', handle }] });
    const idle = connect(at.port, '127.0.0.1');
    await once(idle, 'connect');
    const open = at.post('/in');
    await eventually(() => expect(bell.listenerCount('go')).toBe(1));
    const closing = at.inbound.close();
    await once(idle, 'close');
    await expect(at.post('/in')).rejects.toThrow();
    bell.emit('go');
    const answer = await open;
    expect([answer.status, await answer.json(), answer.headers.get('connection')]).toEqual([200, 'done', 'close']);
    await closing;
    expect(await at.deliveries()).toMatchObject([{ status: 'ok' }]);
  });

  it('does not wait for ever for a handler that hangs', async () => {
    const handle = () => new Promise<undefined>(() => {});
    const at = await serving({ hook: () => [{ path: '/in', handle }] }, { limits: { drainMs: 100 } });
    const open = at.post('/in').catch(() => 'closed');
    await eventually(async () => expect(await at.deliveries()).toHaveLength(1));
    await at.inbound.close();
    expect(await open).toBe('closed');
    expect(await at.deliveries()).toMatchObject([{ status: 'owed' }]);
  });
});

describe('an isolated plugin', () => {
  const text = `
    let calls = 0;
    export default {
      name: 'far', version: '1.0.0',
      provides: {
        webhooks: ({ startRun }) => [{
          path: '/far',
          handle: async ({ payload, headers, raw }) => {
            calls++;
            if (payload.die) process.exit(7);
            await new Promise((resolve) => setTimeout(resolve, payload.wait ?? 0));
            const run = await startRun({ input: String(payload.n) });
            return { body: { run, raw, calls, kind: headers['x-kind'] } };
          },
        }],
      },
    };`;

  async function far() {
    const bench = new Bench('patchbay');
    await bench.install('far', moduleForm('far', ['webhooks'], text));
    return serving({ near: echo() }, { dir: bench.dir });
  }

  it('handles requests in its process; runs belong to the request that they were begun for', async () => {
    const at = await far();
    const send = async (n: number, wait: number) => {
      const answer = await at.post('/far', { n, wait }, { 'idempotency-key': `k${n}`, 'x-kind': 'test' });
      return (await answer.json()) as { run: string; raw: string; kind: string };
    };
    // The first to come is the last to begin its run.
    const first = await Promise.all([send(1, 120), send(2, 60), send(3, 0)]);
    expect(first[0]).toMatchObject({ raw: '{"n":1,"wait":120}', kind: 'test' });
    const runs = (await at.runs()) as { run_id: string; goal: string }[];
    expect(Object.fromEntries(runs.map(({ run_id, goal }) => [run_id, goal]))).toEqual(
      Object.fromEntries(first.map(({ run }, i) => [run, String(i + 1)])),
    );
    // Handled again, in another order: the same ids.
    await eventually(async () => expect((await at.deliveries()).every(({ status }) => status === 'ok')).toBe(true));
    for (const { id } of (await at.deliveries()).reverse()) await at.ledger.replay(id);
    await eventually(async () => expect((await at.deliveries()).every(({ status }) => status === 'ok')).toBe(true));
    expect(await at.runs()).toHaveLength(3);
  });

  it('that crashes fails the request it was at, and has a new process for the next', async () => {
    const at = await far();
    expect((await at.post('/far', { n: 1 })).status).toBe(200);
    expect(await refused(await at.post('/far', { die: true }))).toEqual([500, 'HANDLER']);
    expect((await at.post('/echo')).status).toBe(200);
    await eventually(async () => expect((await at.post('/far', { n: 2 })).status).toBe(200));
  });
});
