import { describe, expect, it, onTestFinished } from 'vitest';
import { Stage } from '../../../../test/flows/stage.ts';
import { openBeside } from '../../../../test/store.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { Serving } from './fixture.ts';

/** A package whose script fails as long as there is no file `mended`. */
const reporter = (dir: string) => ({
  'agentxchain-plugin.json': JSON.stringify({
    name: 'reporter',
    version: '1.0.0',
    description: 'Reports',
    hooks: [{ event: 'run:started', type: 'script', run: './hooks/report.sh' }],
  }),
  'hooks/report.sh': `#!/bin/sh\ntest -f '${dir}/sources/mended'\n`,
});

/** A module of the project that takes requests of others. */
const door = `export default {
  name: 'door', version: '1.0.0',
  provides: { webhooks: ({ startRun }) => [{
    path: '/door',
    handle: async ({ payload }) => ({ status: 202, body: { run: await startRun({ template: 'flow', input: payload.goal }) } }),
  }] },
};
`;

async function staged(): Promise<Serving> {
  const files = { 'patchbay.yaml': 'plugins:\n  door: { path: plugins/door.mjs }\n', 'plugins/door.mjs': door };
  const stage = new Stage('straight', { files });
  await stage.install('reporter', reporter(stage.dir));
  stage.commit();
  return Serving.start(stage);
}

describe('Over the API', () => {
  it('deliveries are listed, looked at, and made again', async () => {
    const serving = await staged();
    const run_id = await serving.begin();
    await serving.becomes(run_id, 'waiting');
    const failed = async () => (await serving.get('/deliveries?plugin=reporter&status=failed')).body.items;
    await expect.poll(failed, { timeout: 60_000 }).toHaveLength(1);
    const [delivery] = await failed();
    expect(delivery).toMatchObject({ event: 'run:started', run_id, exit_code: 1 });
    serving.stage.write('sources/mended', '');
    const { status, body } = await serving.post(`/deliveries/${delivery.id}/replay`);
    expect([status, body]).toMatchObject([202, { id: delivery.id, key: delivery.key, status: 'owed' }]);
    const now = async () => (await serving.get(`/deliveries/${delivery.id}`)).body.status;
    await expect.poll(now, { timeout: 60_000 }).toBe('ok');
    expect((await serving.get(`/deliveries?run=${run_id}&limit=1000`)).body.next).toBeNull();
  });

  it('deliveries and events come in pages without gaps, from either end', async () => {
    const serving = await staged();
    serving.stage.write('sources/mended', '');
    const runs = [await serving.begin('one'), await serving.begin('two'), await serving.begin('three')];
    for (const run_id of runs) await serving.becomes(run_id, 'waiting');
    for (const [list, key] of [
      ['events', 'seq'],
      ['deliveries', 'id'],
    ] as const) {
      for (const order of ['newest', 'oldest']) {
        const { body: all } = await serving.get(`/${list}?order=${order}&limit=1000`);
        const paged: unknown[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
          const { body } = await serving.get(`/${list}?order=${order}&limit=2${at}`);
          paged.push(...body.items);
          cursor = body.next;
        }
        expect(all.items.length).toBeGreaterThan(1);
        expect(paged.map((item) => (item as Record<string, unknown>)[key])).toEqual(
          all.items.map((item: Record<string, unknown>) => item[key]),
        );
      }
    }
    expect((await serving.get('/events?since=2100-01-01T00:00:00Z')).body.items).toEqual([]);
    expect((await serving.get('/events?until=yesterday')).status).toBe(400);
  });

  it('pages are no longer than an answer may be', async () => {
    const serving = await staged();
    const ledger = await openBeside(serving.stage.dir);
    onTestFinished(() => ledger.close());
    const text = { sender_name: 'x', content: 'x'.repeat(1_500_000), timestamp: 'now', is_bot: true };
    for (let i = 0; i < 5; i++) await ledger.append(newEvent('message:sent', { chat_jid: `m${i}`, ...text }));
    const { body: first } = await serving.get('/events?type=message:sent&order=oldest');
    expect(first.items).toHaveLength(2);
    const { body: second } = await serving.get(`/events?type=message:sent&order=oldest&cursor=${first.next}`);
    const chats = [...first.items, ...second.items].map(({ payload }) => payload.chat_jid);
    expect(chats).toEqual(['m0', 'm1', 'm2', 'm3']);
  });

  it('plugins are listed, described, and switched off and on in the project file', async () => {
    const serving = await staged();
    const names = (await serving.get('/plugins')).body.items.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['door', 'reporter']);
    expect((await serving.get('/plugins/reporter')).body).toMatchObject({
      name: 'reporter',
      hooks: ['run:started'],
      manifest: { description: 'Reports' },
    });
    expect((await serving.post('/plugins/reporter/disable')).body).toMatchObject({ enabled: false });
    expect((await serving.get('/plugins/reporter')).body.enabled).toBe(false);
    expect((await serving.post('/plugins/reporter/enable')).body).toMatchObject({ enabled: true });
    expect((await serving.post('/plugins/reporter/enable', { force: true })).status).toBe(400);
  });

  it('hooks are listed and explained', async () => {
    const serving = await staged();
    const { body } = await serving.get('/hooks');
    expect(body.items).toContainEqual(expect.objectContaining({ name: 'turn:accepted', kind: 'notify' }));
    expect((await serving.get('/hooks/run:started')).body).toMatchObject({
      event: 'run:started',
      order: [{ plugin: 'reporter', because: expect.any(String) }],
    });
  });

  it('webhooks are listed, paused and resumed; one that is taken begins a run, which goes on', async () => {
    const serving = await staged();
    const knock = () =>
      fetch(`${serving.webhooks}/door`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ goal: 'Open up' }),
      });
    expect((await serving.get('/webhooks')).body.items).toEqual([
      { path: '/door', plugin: 'door', scheme: 'none', state: 'open' },
    ]);
    expect((await serving.post('/webhooks/pause', { path: '/door' })).body.items).toMatchObject([{ state: 'paused' }]);
    await expect.poll(async () => (await knock()).status, { timeout: 60_000 }).toBe(503);
    await serving.post('/webhooks/resume', {});
    await expect.poll(async () => (await knock()).status, { timeout: 60_000 }).toBe(202);
    const [{ run_id, goal }] = (await serving.get('/runs')).body.items;
    expect(goal).toBe('Open up');
    await serving.becomes(run_id, 'waiting');
    expect((await serving.post('/webhooks/pause', { path: '/nowhere' })).status).toBe(404);
  });

  it('days of the plan are asked for, and begun once', async () => {
    const casting = '{ core: script, with: { command: [./agent.sh] } }';
    const roles = ['gate', 'sentinel', 'conduit'].map((role) => `    ${role}: ${casting}\n`).join('');
    const files = {
      'patchbay.yaml': `runs:\n  core: script\n  with: { command: [./agent.sh] }\n  roles:\n${roles}`,
      'plan.yaml': 'days:\n  - day: 1\n    target: The first thing\n',
    };
    const serving = await Serving.start('interrupted', { files });
    const { status, body } = await serving.post('/days', { day: 'next', by: 'ann' });
    expect([status, body]).toEqual([202, { state: 'begun', day: 1, run_id: expect.stringMatching(/^run-/) }]);
    await serving.becomes(body.run_id, 'active');
    expect((await serving.post('/days', { day: 1, by: 'bob' })).body).toEqual({ ...body, state: 'under-way' });
    expect(await serving.post('/days', { day: 9, by: 'ann' })).toMatchObject({ status: 404 });
    expect(await serving.post('/days', { day: 0, by: 'ann' })).toMatchObject({ status: 400 });
  });
});
