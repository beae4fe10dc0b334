import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from 'patchbay-host/ledger';
import { sample } from 'patchbay-sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { git, Stage } from '../../../test/flows/stage.ts';
import { Passage } from '../../../test/passage.ts';
import { PostgresServer } from '../../../test/postgres.ts';
import { folder } from '../../../test/project.ts';
import { expectError, patchbay } from './command.ts';
import { appears, begin, call, json, start, typesOf } from './run-fixture.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

/** A project with a run that waits at its gate. */
function waiting(): { stage: Stage; run_id: string } {
  const stage = new Stage('straight', { files: { 'patchbay.yaml': '# what we run\nplugins: {}   # none' } });
  return { stage, run_id: begin(stage, 3).run_id };
}

/** A project in which something has happened. */
async function eventful(): Promise<Stage> {
  const stage = new Stage('straight', { repository: false });
  const ledger = await openLedger(stage.file('.patchbay/ledger.db'));
  await ledger.append(sample('run:started'));
  await ledger.close();
  return stage;
}

/** The URL of the same database for another user, at another port. */
const urlFor = (url: string, user: string, port = server.port) =>
  url.replace('patchbay:not-asked', user).replace(`:${server.port}/`, `:${port}/`);

/** What stands in a database: the rows of each table of ours that has any. */
async function rowsIn(url: string): Promise<Record<string, number>> {
  const tables = await server.run(
    "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('patchbay') AND relkind = 'r'",
    url,
  );
  const counts: Record<string, number> = {};
  for (const { relname } of tables) {
    const [row] = await server.run(`SELECT count(*) AS n FROM patchbay.${relname}`, url);
    if (row?.['n'] !== '0') counts[String(relname)] = Number(row?.['n']);
  }
  return counts;
}

/** Another clone of the repository of a stage, in which commands are called with `--json` and must succeed. */
function cloned(stage: Stage, url: string): { clone: string; call: (...args: string[]) => unknown } {
  stage.commit();
  const clone = join(folder(), 'clone');
  git(stage.dir, 'clone', '--quiet', '--single-branch', '.', clone);
  const there = (...args: string[]): unknown => {
    const ended = patchbay([...args, '--json'], { cwd: clone, env: { PATCHBAY_DATABASE_URL: url } });
    expect(ended, ended.stdout).toMatchObject({ stderr: '', status: 0 });
    return JSON.parse(ended.stdout);
  };
  return { clone, call: there };
}

/** A passage to the server, closed at the end of the test. */
async function passage(): Promise<Passage> {
  const made = await Passage.start(server.port);
  onTestFinished(() => made.close());
  return made;
}

describe('migrate', () => {
  it('moves a run that waits, which another process approves and finishes', async () => {
    const { stage, run_id } = waiting();
    const before = typesOf(stage);
    const url = await server.database();
    expect(json(stage, 0, 'migrate', '--to', url)).toMatchObject({
      dry_run: false,
      to: url.replace(':not-asked', ''),
      counts: { events: before.length, runs: 1 },
      open_runs: [{ run_id, status: 'waiting' }],
    });
    expect(stage.read('patchbay.yaml')).toBe('# what we run\nplugins: {}   # none\nengine: postgres\n');
    // Which database it is, is not in the project file.
    expectError(call(stage, 'status'), 2, 'DATABASE_URL', /PATCHBAY_DATABASE_URL is not set/);
    const there = { cwd: stage.dir, env: { PATCHBAY_DATABASE_URL: url } };
    const { stdout, stderr, status } = patchbay(['approve', run_id, '--by', 'ann', '--json'], there);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ run_id, status: 'completed' });
    expect(stage.result({ run_id }, 'src/a.txt')).toBe('done');
    expect(JSON.parse(patchbay(['ledger', 'verify', '--json'], there).stdout)).toMatchObject({ ok: true });
  });

  it('moves a run that waits, which another host finishes in another clone of the repository', async () => {
    const { stage, run_id } = waiting();
    const url = await server.database();
    json(stage, 0, 'migrate', '--to', url);
    const { clone, call: there } = cloned(stage, url);
    expect(there('approve', run_id, '--by', 'ann')).toMatchObject({ run_id, status: 'completed' });
    expect(git(clone, 'show', `patchbay/${run_id}:src/a.txt`)).toBe('done');
    expect(git(clone, 'show', `patchbay/${run_id}:PLAN.md`)).toBe('Goal: Make it work');
  });

  it('moves a run whose host died in the middle of a turn, which another host goes on with', async () => {
    const stage = new Stage('interrupted');
    const agent = stage.read('agent.sh') ?? '';
    stage.write('agent.sh', agent.replace('touch "$sources', 'echo half >> half.txt\ntouch "$sources'));
    const flow = stage.read('patchbay/templates/flow.yaml') ?? '';
    stage.write('patchbay/templates/flow.yaml', flow.replace('[./agent.sh] }', '[./agent.sh] }, writes: [half.txt]'));
    stage.commit();
    const { child, ended } = start(stage, 'run', '--template', 'flow', '--input', 'Go on', '--json');
    await appears(stage, 'sources/working');
    child.kill('SIGKILL');
    await ended;
    const url = await server.database();
    const { open_runs } = json<{ open_runs: { run_id: string }[] }>(stage, 0, 'migrate', '--to', url);
    const [{ run_id } = { run_id: '' }] = open_runs;
    const { clone, call: there } = cloned(stage, url);
    // As on another machine: nothing is where it was.
    renameSync(stage.file('.patchbay'), stage.file('gone'));
    mkdirSync(join(clone, 'sources'));
    writeFileSync(join(clone, 'sources/go'), '');
    const run = there('resume', run_id);
    expect(run).toMatchObject({ run_id, status: 'completed', turns: [{ attempt: 1 }] });
    // The turn was dispatched once, and worked on again where it had been left.
    expect(readFileSync(join(clone, 'sources/calls'), 'utf8')).toBe(stage.read('sources/calls'));
    expect(git(clone, 'show', `patchbay/${run_id}:half.txt`)).toBe('half\nhalf');
  });

  it('says what it would move, and changes nothing, with --dry-run; for people it tells what is next', async () => {
    const { stage, run_id } = waiting();
    const url = await server.database();
    const planned = call(stage, 'migrate', '--to', url, '--dry-run');
    expect(planned.stdout).toMatch(/would be moved(.|\n)*events(.|\n)*Nothing was changed/);
    expect(planned.stdout).toContain(`${run_id} waiting`);
    expect(await rowsIn(url)).toEqual({});
    expect(stage.read('patchbay.yaml')).toBe('# what we run\nplugins: {}   # none');
    const done = patchbay(['migrate'], { cwd: stage.dir, env: { PATCHBAY_DATABASE_URL: url } });
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toMatch(/moved to postgres:(.|\n)*commit it(.|\n)*PATCHBAY_DATABASE_URL/);
    expect(done.stdout + planned.stdout).not.toContain('not-asked');
  });

  it('whose process was killed has moved nothing, and can be made again', async () => {
    const { stage } = waiting();
    const before = typesOf(stage);
    const url = await server.database();
    const slow = await passage();
    let isStuck = false;
    slow.fromServer = (bytes) => (isStuck ? Buffer.alloc(0) : bytes);
    slow.fromClient = (bytes) => {
      isStuck ||= bytes.includes('INSERT INTO runs');
      if (isStuck) stage.write('.patchbay/stuck', '');
      return bytes;
    };
    const through = urlFor(url, 'patchbay:not-asked', slow.port);
    const { child, ended } = start(stage, 'migrate', '--to', through);
    await appears(stage, '.patchbay/stuck');
    child.kill('SIGKILL');
    await ended;
    expect(typesOf(stage)).toEqual(before);
    expect(stage.read('patchbay.yaml')).toBe('# what we run\nplugins: {}   # none');
    // The server undoes it once it has noticed.
    await expect.poll(() => rowsIn(url)).toEqual({ chain: 1, version: 1 });
    expect(json(stage, 0, 'migrate', '--to', url)).toMatchObject({ counts: { events: before.length } });
  });
});

describe('migrate says clearly what is wrong, and changes nothing, when', () => {
  /** Expects this one error, without a password in it, and that neither the project nor the database is another one than before. */
  async function expectRefused(
    to: { readonly url: string; readonly database?: string },
    exit: number,
    code: string,
    message: RegExp,
    its?: Stage,
  ): Promise<void> {
    const stage = its ?? (await eventful());
    const look = async () => ({
      events: typesOf(stage),
      yaml: stage.read('patchbay.yaml'),
      rows: to.database === undefined ? null : await rowsIn(to.database),
    });
    const before = await look();
    const ended = await start(stage, 'migrate', '--to', to.url).ended;
    expectError(ended, exit, code, message);
    expect(ended.stderr).not.toMatch(/s3cret|not-asked/);
    expect(await look()).toEqual(before);
  }

  it('the URL is none', () =>
    expectRefused({ url: 'mysql://ada:s3cret@127.0.0.1/db' }, 2, 'DATABASE_URL', /postgres:/));

  it('no URL is given', () => {
    const ended = patchbay(['migrate'], { cwd: folder({ 'patchbay.yaml': '' }) });
    expectError(ended, 2, 'USAGE', /--to URL, or PATCHBAY_DATABASE_URL/);
  });

  it('the server does not run', async () => {
    const gone = await Passage.start(server.port);
    const { port } = gone;
    await gone.close();
    const url = `postgres://ada:s3cret@127.0.0.1:${port}/db`;
    await expectRefused({ url }, 1, 'DATABASE_UNREACHABLE', /127\.0\.0\.1:\d+\/db .*ECONNREFUSED/);
  });

  it('the password is wrong', async () => {
    await server.run("CREATE ROLE bea LOGIN PASSWORD 'right'");
    const database = await server.database();
    const to = { url: urlFor(database, 'bea:s3cret'), database };
    await expectRefused(to, 1, 'DATABASE_LOGIN', /password authentication failed/);
  });

  it('the user lacks rights', async () => {
    await server.run("CREATE ROLE cleo LOGIN PASSWORD 's3cret'");
    const database = await server.database();
    const to = { url: urlFor(database, 'cleo:s3cret'), database };
    await expectRefused(to, 1, 'DATABASE_RIGHTS', /permission denied .*AUTHORIZATION/);
  });

  it('the server is too old', async () => {
    const database = await server.database();
    const [row] = await server.run("SELECT current_setting('server_version_num') AS number");
    const number = String(row?.['number']);
    const old = await passage();
    old.fromServer = (bytes) =>
      Buffer.from(bytes.toString('latin1').replaceAll(number, `13${number.slice(2)}`), 'latin1');
    const to = { url: urlFor(database, 'patchbay:not-asked', old.port), database };
    await expectRefused(to, 1, 'DATABASE_UNSUITABLE', /the server is PostgreSQL .*14 or newer/);
  });

  it('the database cannot keep every text', async () => {
    const url = await server.database("ENCODING 'LATIN1' TEMPLATE template0");
    await expectRefused({ url, database: url }, 1, 'DATABASE_UNSUITABLE', /its encoding is LATIN1/);
  });

  it('a newer Patchbay has written the database', async () => {
    const url = await server.database();
    patchbay(['status'], { cwd: folder({ 'patchbay.yaml': '' }), env: { PATCHBAY_DATABASE_URL: url } });
    await server.run('UPDATE patchbay.version SET version = 99', url);
    await expectRefused({ url, database: url }, 1, 'LEDGER_NEWER', /version 99/);
  });

  it('the database has a ledger', async () => {
    const url = await server.database();
    json(await eventful(), 0, 'migrate', '--to', url);
    await expectRefused({ url, database: url }, 2, 'MIGRATION_REFUSED', /holds a ledger already.*; Name an empty/);
  });

  it('there is no project', async () => {
    const ended = patchbay(['migrate', '--to', await server.database()], { cwd: folder() });
    expectError(ended, 2, 'PROJECT_MISSING', /no project/);
  });

  it('there is nothing to move', async () => {
    const [cwd, url] = [folder({ 'patchbay.yaml': '' }), await server.database()];
    expectError(
      patchbay(['migrate', '--to', url], { cwd }),
      2,
      'MIGRATION_REFUSED',
      /nothing to move.*engine: postgres/,
    );
    expect(await rowsIn(url)).toEqual({});
  });

  it('a host is at work', async () => {
    const stage = await eventful();
    const serving = start(stage, 'serve', '--port', '0', '--webhook-port', '0', '--json');
    await appears(stage, '.patchbay/host.pid');
    const url = await server.database();
    await expectRefused({ url, database: url }, 1, 'PROJECT_HELD', /process \d+ is the host/, stage);
    serving.child.kill('SIGTERM');
    await serving.ended;
  });

  it('the project has been moved, and nobody says where to', async () => {
    const stage = await eventful();
    json(stage, 0, 'migrate', '--to', await server.database());
    stage.write('patchbay.yaml', '');
    for (const args of [['status'], ['events'], ['run', '--template', 'flow', '--input', 'x']]) {
      expectError(call(stage, ...args), 1, 'LEDGER_MOVED', /was moved to postgres:.*; Set PATCHBAY_DATABASE_URL/);
    }
  });
});
