import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin, sample, type TurnWork } from 'patchbay-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { folder } from '../../../../test/project.ts';
import { openHost } from '../../src/host.ts';
import { listHosts } from '../../src/hosts/list.ts';
import { findTemplate } from '../../src/runs/template/find.ts';

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  url = await server.database();
});

const template = `name: short
roles: { worker: { core: quick, writes: ["**"] } }
phases:
  - { name: one, steps: [{ role: worker }], gate: pass }
  - { name: two, steps: [{ role: worker }] }
gates: { pass: { approval: human } }
`;

/** What has happened, on whichever host. */
class Seen {
  readonly delivered: { host: string; text: string }[] = [];
  readonly asked: { host: string; turn: string }[] = [];
  readonly worked: { host: string; key: string }[] = [];
}

/** A host in a folder of its own, with a plugin that is told of messages and asked about turns, and a core that is quick. */
async function open(name: string, seen: Seen, { serve = false, workMs = 50, version = '1.0.0' } = {}) {
  const cwd = folder({ 'patchbay.yaml': 'engine: postgres\n', 'patchbay/templates/short.yaml': template });
  const recorder = definePlugin({
    name: 'recorder',
    version: '1.0.0',
    hooks: {
      'message:received': ({ content }) => void seen.delivered.push({ host: name, text: content }),
      'turn:dispatched': ({ run_id, turn_id }) => void seen.asked.push({ host: name, turn: `${run_id} ${turn_id}` }),
    },
    provides: {
      agentCore: () => ({
        name: 'quick',
        run: async (work: TurnWork) => {
          seen.worked.push({ host: name, key: work.key });
          await sleep(workMs, undefined, { signal: work.signal });
          writeFileSync(work.result_file, JSON.stringify({ summary: 'Done' }));
        },
      }),
    },
  });
  const env = { PATH: process.env['PATH'], PATCHBAY_DATABASE_URL: url };
  const host = await openHost({ cwd, version, builtins: [recorder], env });
  onTestFinished(() => host.close());
  const service = serve
    ? (await host.serve({ port: 0, webhookPort: 0, name, runsAtOnce: 2 })).service
    : await host.start();
  const request = () => service.runs.request({ template: findTemplate('short', cwd), goal: 'Try', by: 'ada' });
  return { host, service, request };
}

const message = (n: number) => {
  const { event, event_id, at, ...fields } = sample('message:received');
  return { ...fields, run_id: null, content: String(n) };
};

describe('two hosts on one database', () => {
  it('deliver each event to a plugin once, in the order in which they happened, whoever made them happen', async () => {
    const seen = new Seen();
    const [a, b] = [await open('a', seen), await open('b', seen)];
    for (let n = 0; n < 40; n++) await (n % 2 === 0 ? a : b).service.emit('message:received', message(n));
    await eventually(() => expect(seen.delivered).toHaveLength(40));
    expect(seen.delivered.map(({ text }) => Number(text))).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(new Set(seen.delivered.map(({ host }) => host)).size).toBe(1);
  });

  it('deliver what the other one is no longer there to deliver', async () => {
    const seen = new Seen();
    const [a, b] = [await open('a', seen), await open('b', seen)];
    await a.service.emit('message:received', message(1));
    await eventually(() => expect(seen.delivered).toHaveLength(1));
    const [owner, other] = seen.delivered[0]?.host === 'a' ? [a, b] : [b, a];
    await owner.host.close();
    await other.service.emit('message:received', message(2));
    await eventually(() => expect(seen.delivered.map(({ text }) => text)).toEqual(['1', '2']));
  });

  it('share the runs among them: each turn is worked on once, and each refusable step asked about once', async () => {
    const seen = new Seen();
    const a = await open('a', seen, { serve: true, workMs: 300 });
    await open('b', seen, { serve: true, workMs: 300 });
    const runs = await Promise.all(Array.from({ length: 6 }, () => a.request()));
    const are = (status: string) => async () => {
      for (const run of runs) expect((await a.service.ledger.run(run))?.status).toBe(status);
    };
    await eventually(are('waiting'));
    for (const run of runs) await a.service.runs.vote(run, { by: 'bob', decision: 'approved', comment: null });
    await eventually(are('completed'));
    expect(new Set(seen.worked.map(({ key }) => key)).size).toBe(12);
    expect(seen.worked).toHaveLength(12);
    expect(seen.asked).toHaveLength(12);
    expect(new Set(seen.worked.map(({ host }) => host))).toEqual(new Set(['a', 'b']));
    expect(await a.service.ledger.verify()).toMatchObject({ ok: true });
  });

  it('leave what one does for all to one of them, until it goes', async () => {
    const seen = new Seen();
    const a = await open('a', seen, { serve: true });
    await open('b', seen, { serve: true });
    const dutiesOf = async () => (await listHosts(url)).map(({ name, duties }) => [name, duties]);
    expect(await dutiesOf()).toEqual([
      ['a', ['assistant', 'observers']],
      ['b', []],
    ]);
    await a.host.close();
    await eventually(async () => expect(await dutiesOf()).toEqual([['b', ['assistant', 'observers']]]));
  });

  it('keep what they have done while the database is started again: nobody does it once more', async () => {
    const own = await PostgresServer.start();
    onTestFinished(() => own.remove());
    url = await own.database();
    const seen = new Seen();
    const a = await open('a', seen, { serve: true, workMs: 1500 });
    await open('b', seen, { serve: true, workMs: 1500 });
    const run = await a.request();
    await eventually(() => expect(seen.worked).toHaveLength(1));
    await own.stop('QUIT');
    await sleep(2000);
    await own.start();
    await eventually(async () => expect((await a.service.ledger.run(run))?.status).toBe('waiting'));
    expect(seen.worked).toHaveLength(1);
  });

  it('of different versions take over from each other: a run that waits goes on with the newer one', async () => {
    const seen = new Seen();
    const old = await open('old', seen, { serve: true });
    const run = await old.request();
    await eventually(async () => expect((await old.service.ledger.run(run))?.status).toBe('waiting'));
    const renewed = await open('new', seen, { serve: true, version: '2.0.0' });
    expect((await listHosts(url)).map(({ name, version }) => [name, version])).toEqual([
      ['old', '1.0.0'],
      ['new', '2.0.0'],
    ]);
    await old.host.close();
    await renewed.service.runs.vote(run, { by: 'bob', decision: 'approved', comment: null });
    await eventually(async () => expect((await renewed.service.ledger.run(run))?.status).toBe('completed'));
    expect(seen.worked.map(({ host }) => host)).toEqual(['old', 'new']);
  });

  it('is known to be dead by the next one in its folder, which goes on with its runs at once', async () => {
    const dir = folder({ 'patchbay.yaml': 'engine: postgres\n' });
    const host = () => openHost({ cwd: dir, version: '1.0.0', env: { PATCHBAY_DATABASE_URL: url } });
    const first = await host();
    await (await first.start()).peers.take('run', 'run-1');
    const [{ id } = { id: '' }] = await listHosts(url);
    await first.close();
    // As if it had not been able to say goodbye.
    const insert = `INSERT INTO patchbay.hosts (id, name, version, labels) VALUES ('${id}', 'a', '1', '{}')`;
    await server.run(`${insert}; INSERT INTO patchbay.claims VALUES ('run', 'run-1', '${id}')`, url);
    const second = await host();
    onTestFinished(() => second.close());
    expect(await (await second.start()).peers.take('run', 'run-1')).toBeDefined();
  });

  it('do not carry on a run that the other one carries on', async () => {
    const seen = new Seen();
    const [a, b] = [await open('a', seen, { workMs: 2000 }), await open('b', seen)];
    const run = await a.request();
    const advancing = a.service.runs.advance(run);
    await eventually(() => expect(seen.worked).toHaveLength(1));
    await expect(b.service.runs.advance(run)).rejects.toMatchObject({ code: 'RUN_ELSEWHERE' });
    expect(await advancing).toMatchObject({ status: 'waiting' });
  });
});
