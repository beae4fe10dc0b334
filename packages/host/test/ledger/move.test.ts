import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooks, sample } from 'patchbay-sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Passage } from '../../../../test/passage.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { folder } from '../../../../test/project.ts';
import { Kernel } from '../../src/kernel/index.ts';
import { type LedgerStore, openLedger, openPostgresLedger } from '../../src/ledger/index.ts';
import { migrateProject, rehearseMigration } from '../../src/migrate.ts';
import { all, behind, said } from './scratch.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

const fileOf = (cwd: string) => join(cwd, '.patchbay/ledger.db');
const migrate = (cwd: string, to: string, signal = new AbortController().signal) =>
  migrateProject({ kernel: new Kernel(hooks), cwd, to, told: () => {}, signal });

/** A project whose ledger has some of everything. */
async function project(yaml = '# ours\nplugins: {} # none yet\n'): Promise<string> {
  const cwd = folder({ 'patchbay.yaml': yaml });
  const ledger = await openLedger(fileOf(cwd));
  const owes = ['a', 'b', 'c'].map((plugin) => ({ plugin, handler: `${plugin}#1`, version: '1.0.0', digest: 'd' }));
  const old = { ...said('pruned'), at: '2020-01-01T00:00:00.000Z' };
  await ledger.append(old);
  await ledger.append({ ...said('pruned too'), at: '2020-01-02T00:00:00.000Z' });
  for (const run_id of ['run-b', 'run-a', 'run-c']) {
    await ledger.requestRun({ run_id, template: 't', goal: `goal of ${run_id}`, inputs: { day: 1 } });
  }
  for (const type of ['run:started', 'approval:requested'] as const) {
    const { event_id: _, ...fields } = sample(type, { run_id: 'run-a' });
    await ledger.append({ ...fields, event_id: `${type} of run-a` } as never);
  }
  const texts = Array.from({ length: 1200 }, (_, i) => said(`text ${i} \u0000 \u0001 ünï 🎺`));
  await Promise.all(texts.map((text, i) => ledger.append(text, i % 100 === 0 ? owes : [])));
  const [first, second, third, fourth] = await all(ledger.deliveries());
  await ledger.settle(first?.id ?? '', { status: 'ok', duration_ms: 1.25, annotations: { mood: 'good\u0000' } });
  await ledger.settle(second?.id ?? '', { status: 'failed', message: 'no\nway', exit_code: 3, duration_ms: 0.1 });
  await ledger.settle(third?.id ?? '', { status: 'sending', request: { url: 'https://example.com' } });
  await ledger.sent(third?.id ?? '', { attempts: 3, status: 'failed', http_status: 500 }, 1);
  await ledger.settle(fourth?.id ?? '', { status: 'sending', request: { url: 'https://example.com' } });
  await ledger.postpone(fourth?.id ?? '', { attempts: 1, http_status: 503 }, new Date('2030-01-01'));
  await ledger.setNote('one', { paused: ['\u0000'] });
  await ledger.prune(new Date('2021-01-01'));
  await ledger.close();
  return cwd;
}

async function opened(url: string): Promise<LedgerStore> {
  const ledger = await openPostgresLedger(url);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** All that a ledger tells of itself. */
async function contents(ledger: LedgerStore): Promise<unknown> {
  return {
    events: (await all(ledger.events())).map((event) => JSON.stringify(event)),
    deliveries: await all(ledger.deliveries()),
    runs: await all(ledger.runs()),
    failing: await ledger.failing(),
    endpoints: await ledger.endpoints(),
    note: await ledger.note('one'),
    said: (await all(ledger.events({ chat: (said('') as { chat_jid: string }).chat_jid }))).map(({ seq }) => seq),
    verified: await ledger.verify(),
  };
}

/** What is in the ledger of a project, which can be used. */
async function contentsOf(cwd: string): Promise<unknown> {
  const ledger = await openLedger(fileOf(cwd));
  return await contents(ledger).finally(() => ledger.close());
}

const rowsIn = async (url: string) => {
  const [row] = await server.run(
    'SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM runs) AS n',
    `${url}?options=-csearch_path%3Dpatchbay`,
  );
  return Number(row?.['n']);
};

describe('a ledger that is moved into a database', () => {
  it('is there as it was, to the last delivery, and its chain holds', async () => {
    const cwd = await project();
    const before = await contentsOf(cwd);
    const url = await server.database();
    const moved = await migrate(cwd, url);
    expect(moved).toMatchObject({
      counts: { events: 1202, deliveries: 36, runs: 3, failing: 1, endpoints: 1, notes: 1 },
      open_runs: [
        { run_id: 'run-b', status: 'pending' },
        { run_id: 'run-a', status: 'waiting' },
        { run_id: 'run-c', status: 'pending' },
      ],
    });
    expect(moved.to).not.toContain('not-asked');
    const ledger = await opened(url);
    expect(await contents(ledger)).toEqual(before);
    expect((await ledger.verify()).head).toBe(moved.head);
    expect((await ledger.append(said('more'))).event.seq).toBe(1205);
    await ledger.requestRun({ run_id: 'run-0', template: 't', goal: 'g' });
    expect((await all(ledger.runs())).map(({ run_id }) => run_id)).toEqual(['run-b', 'run-a', 'run-c', 'run-0']);
  });

  it('is named in the project file, in which all else stays', async () => {
    const long = `# ${'a long line '.repeat(12)}\n`;
    const cwd = await project(`${long}plugins: {} # none yet\nengine: embedded # for now\n`);
    await migrate(cwd, await server.database());
    expect(readFileSync(join(cwd, 'patchbay.yaml'), 'utf8')).toBe(
      `${long}plugins: {} # none yet\nengine: postgres # for now\n`,
    );
  });

  it('cannot be used where it was any more, not even by who has it open', async () => {
    const cwd = await project();
    const early = await openLedger(fileOf(cwd));
    onTestFinished(() => early.close());
    const url = await server.database();
    const { to } = await migrate(cwd, url);
    await expect(openLedger(fileOf(cwd))).rejects.toMatchObject({
      code: 'LEDGER_MOVED',
      message: expect.stringContaining(to),
    });
    for (const change of [
      () => early.append(said('late')),
      () => early.requestRun({ run_id: 'late', template: 't', goal: 'g' }),
      () => early.cancel('a', 'late'),
      () => early.setNote('one', 'late'),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'LEDGER_MOVED', message: expect.stringContaining(to) });
    }
    expect(await all((await opened(url)).events())).toHaveLength(1202);
  });

  it('is moved once: doing it again says the same, and to another database is refused', async () => {
    const cwd = await project();
    const url = await server.database();
    const moved = await migrate(cwd, url);
    await (await opened(url)).append(said('more'));
    expect(await migrate(cwd, url)).toEqual(moved);
    expect((await all((await opened(url)).events())).length).toBe(1203);
    await expect(migrate(cwd, await server.database())).rejects.toMatchObject({ code: 'MIGRATION_REFUSED' });
  });
});

describe('a ledger is not moved, and nothing is changed,', () => {
  async function expectRefused(cwd: string, url: string, code: string, message: RegExp): Promise<void> {
    const yaml = readFileSync(join(cwd, 'patchbay.yaml'), 'utf8');
    const expected = { code, message: expect.stringMatching(message) };
    await expect(rehearseMigration({ cwd, to: url })).rejects.toMatchObject(expected);
    await expect(migrate(cwd, url)).rejects.toMatchObject(expected);
    expect(readFileSync(join(cwd, 'patchbay.yaml'), 'utf8')).toBe(yaml);
  }

  it('by a rehearsal, which does not even make the tables', async () => {
    const [cwd, url] = [await project(), await server.database()];
    const before = await contentsOf(cwd);
    const told = await rehearseMigration({ cwd, to: url });
    expect(await contentsOf(cwd)).toEqual(before);
    expect(await server.run("SELECT FROM pg_namespace WHERE nspname = 'patchbay'", url)).toEqual([]);
    expect(await migrate(cwd, url)).toEqual(told);
  });

  it('where there is a ledger already', async () => {
    const [cwd, url] = [await project(), await server.database()];
    const ledger = await openPostgresLedger(url);
    await ledger.append(said('here first'));
    await ledger.close();
    const before = await contentsOf(cwd);
    await expectRefused(cwd, url, 'MIGRATION_REFUSED', /holds a ledger already \(events\)/);
    expect(await contentsOf(cwd)).toEqual(before);
    expect(await rowsIn(url)).toBe(1);
  });

  it('where a host is at work already', async () => {
    const [cwd, url] = [await project(), await server.database()];
    const ledger = await opened(url);
    await ledger.verify();
    const unhear = ledger.on('elsewhere', () => {});
    await ledger.owedPlugins();
    await expectRefused(cwd, url, 'MIGRATION_REFUSED', /in use: \d+ other sessions/);
    unhear();
    await ledger.close();
    await migrate(cwd, url);
  });

  it('if its chain does not hold', async () => {
    const [cwd, url] = [await project(), await server.database()];
    behind(fileOf(cwd), (db) =>
      db.exec("UPDATE events SET payload = replace(payload, 'text 7 ', 'text 8 ') WHERE seq < 50"),
    );
    await expectRefused(cwd, url, 'LEDGER_CORRUPT', /event \d+ is not as it was appended/);
    expect(await server.run("SELECT FROM pg_namespace WHERE nspname = 'patchbay'", url)).toEqual([]);
  });

  it('when it is stopped on the way', async () => {
    const [cwd, url] = [await project(), await server.database()];
    const before = await contentsOf(cwd);
    const stop = new AbortController();
    const told = () => stop.abort();
    const moving = migrateProject({ kernel: new Kernel(hooks), cwd, to: url, told, signal: stop.signal });
    await expect(moving).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED', message: /nothing was moved/ });
    expect(await contentsOf(cwd)).toEqual(before);
    expect(await rowsIn(url)).toBe(0);
    await migrate(cwd, url);
  });
});

describe('a move that is interrupted', () => {
  /** Moves through a connection that is cut when the client says this, before or after the server hears it. */
  async function cutAt(cwd: string, url: string, words: string, when: 'before' | 'after', nth = 1): Promise<unknown> {
    const passage = await Passage.start(server.port);
    let left = nth;
    let isCut = false;
    passage.fromClient = (bytes) => {
      if (isCut) return undefined;
      if (bytes.includes(words) && --left === 0) {
        isCut = true;
        return when === 'before' ? undefined : bytes;
      }
      return bytes;
    };
    passage.fromServer = (bytes) => (isCut ? undefined : bytes);
    const through = url.replace(`:${server.port}/`, `:${passage.port}/`);
    const error = await migrate(cwd, through).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    await passage.close();
    return error;
  }

  it.each([
    ['among the events', 'INSERT INTO events', 'before'],
    ['among the runs', 'INSERT INTO runs', 'after'],
    ['before it is committed', 'COMMIT', 'before'],
    ['before it is known to be committed', 'COMMIT', 'after'],
  ] as const)('%s leaves the file as it was, and can be made again', async (_, words, when) => {
    const [cwd, url] = [await project(), await server.database()];
    await (await openPostgresLedger(url)).close();
    const before = await contentsOf(cwd);
    expect(await cutAt(cwd, url, words, when)).toMatchObject({ code: 'LEDGER_WRITE' });
    expect(await contentsOf(cwd)).toEqual(before);
    await migrate(cwd, url);
    expect(await contents(await opened(url))).toEqual(before);
  });

  it('after the file was left is finished when it is made again; until then neither can be used', async () => {
    const [cwd, url] = [await project(), await server.database()];
    const before = await contentsOf(cwd);
    const error = await cutAt(cwd, url, 'WHERE version < 0', 'before');
    expect(error).toMatchObject({ code: 'MIGRATION_UNFINISHED', message: expect.stringContaining('all was moved') });
    await expect(openLedger(fileOf(cwd))).rejects.toMatchObject({ code: 'LEDGER_MOVED' });
    await expect(openPostgresLedger(url)).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED' });
    expect(readFileSync(join(cwd, 'patchbay.yaml'), 'utf8')).not.toContain('engine');
    await migrate(cwd, url);
    expect(await contents(await opened(url))).toEqual(before);
    expect(readFileSync(join(cwd, 'patchbay.yaml'), 'utf8')).toContain('engine: postgres');
  });

  it('cannot be taken for another one: what came from elsewhere stays', async () => {
    const [mine, theirs, url] = [await project(), await project(), await server.database()];
    await cutAt(theirs, url, 'WHERE version < 0', 'before');
    await expect(migrate(mine, url)).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED' });
    await migrate(theirs, url);
    expect((await (await opened(url)).verify()).ok).toBe(true);
  });
});
