import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Passage } from '../../../../test/passage.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { type Elsewhere, type LedgerStore, openPostgresLedger } from '../../src/ledger/index.ts';
import { all, said } from './scratch.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

async function opened(url: string): Promise<LedgerStore> {
  const ledger = await openPostgresLedger(url);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** The URL for another user, at another port. */
const urlOf = (url: string, user: string, port = server.port) =>
  url.replace('patchbay:not-asked', user).replace(`:${server.port}`, `:${port}`);
const schemas = async (url: string) =>
  (await server.run("SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)'", url)).map(
    ({ nspname }) => nspname,
  );

/** Opening it is refused with this code, in one line that has the URL without the password. */
async function expectRefused(url: string, code: string, ...words: string[]): Promise<void> {
  const error = await openPostgresLedger(url).then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code });
  for (const word of words) expect(error?.message).toContain(word);
  expect(error?.message).not.toContain('\n');
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/not-asked|s3cret/);
}

describe('a database that cannot be used is refused clearly', () => {
  it.each([
    ['is a word', 'hello-s3cret'],
    ['is of another kind', 'mysql://ada:s3cret@127.0.0.1/db'],
    ['has a port that is none', 'postgres://ada:s3cret@127.0.0.1:port/db'],
    ['has an @ too many', 'postgres://ada:s3cret@x@127.0.0.1:99999999/db'],
    ['has no end', 'postgres://ada:s3cret@[::1/db'],
  ])('whose URL %s', (_, url) => expectRefused(url, 'DATABASE_URL'));

  it('whose server does not run', async () => {
    const proxy = await Passage.start(server.port);
    const { port } = proxy;
    await proxy.close();
    const url = `postgres://ada:s3cret@127.0.0.1:${port}/db`;
    await expectRefused(url, 'DATABASE_UNREACHABLE', `postgres://ada@127.0.0.1:${port}/db`, 'ECONNREFUSED');
  });

  it('that is not there', () => expectRefused(server.url('nowhere'), 'DATABASE_UNREACHABLE', '/nowhere', 'not exist'));

  it('that lets this user not in', async () => {
    await server.run("CREATE ROLE bea LOGIN PASSWORD 'right'");
    const url = await server.database();
    await expectRefused(urlOf(url, 'bea:s3cret'), 'DATABASE_LOGIN', '//bea@127', 'password authentication failed');
    await expectRefused(urlOf(url, 'bea'), 'DATABASE_LOGIN', '//bea@127');
    await expectRefused(urlOf(url, 'nobody:s3cret'), 'DATABASE_LOGIN', '//nobody@127');
    expect(await schemas(url)).toEqual([]);
  });

  it('in which this user may make nothing, until a schema is there that is its own', async () => {
    await server.run("CREATE ROLE cleo LOGIN PASSWORD 's3cret'");
    const url = await server.database();
    await expectRefused(urlOf(url, 'cleo:s3cret'), 'DATABASE_RIGHTS', 'permission denied for database');
    expect(await schemas(url)).toEqual([]);
    await server.run('CREATE SCHEMA patchbay AUTHORIZATION cleo', url);
    const ledger = await opened(urlOf(url, 'cleo:s3cret'));
    expect((await ledger.append(said('hello'))).event.seq).toBe(1);
  });

  it("in which this user may not do all to somebody else's tables", async () => {
    await server.run("CREATE ROLE dora LOGIN PASSWORD 's3cret'");
    const url = await server.database();
    await opened(url);
    await expectRefused(urlOf(url, 'dora:s3cret'), 'DATABASE_RIGHTS', 'permission denied for schema');
    await server.run('GRANT USAGE ON SCHEMA patchbay TO dora; GRANT ALL ON ALL TABLES IN SCHEMA patchbay TO dora', url);
    await server.run('REVOKE DELETE ON patchbay.events FROM dora', url);
    await expectRefused(urlOf(url, 'dora:s3cret'), 'DATABASE_RIGHTS', 'DELETE on events');
  });

  it('of a server that is too old', async () => {
    const url = await server.database();
    const [row] = await server.run("SELECT current_setting('server_version_num') AS number");
    const number = String(row?.['number']);
    const proxy = await Passage.start(server.port);
    onTestFinished(() => proxy.close());
    proxy.fromServer = (bytes) =>
      Buffer.from(bytes.toString('latin1').replaceAll(number, `13${number.slice(2)}`), 'latin1');
    const old = urlOf(url, 'patchbay:not-asked', proxy.port);
    await expectRefused(old, 'DATABASE_UNSUITABLE', `127.0.0.1:${proxy.port}/`, 'the server is PostgreSQL');
    expect(await schemas(url)).toEqual([]);
  });

  it('that cannot keep every text', async () => {
    const url = await server.database("ENCODING 'LATIN1' TEMPLATE template0");
    await expectRefused(url, 'DATABASE_UNSUITABLE', 'LATIN1');
    expect(await schemas(url)).toEqual([]);
  });

  it('that a newer Patchbay has written', async () => {
    const url = await server.database();
    await (await openPostgresLedger(url)).close();
    await server.run('UPDATE patchbay.version SET version = 99', url);
    await expectRefused(url, 'LEDGER_NEWER', 'version 99');
    expect(await server.run('SELECT version FROM patchbay.version', url)).toEqual([{ version: '99' }]);
  });

  it('whose schema belongs to something else', async () => {
    const url = await server.database();
    await server.run('CREATE SCHEMA patchbay; CREATE TABLE patchbay.bays (n int)', url);
    await expectRefused(url, 'LEDGER_CORRUPT', 'holds something else');
  });
});

describe('a ledger in PostgreSQL', () => {
  it('is made once, however many make it at the same moment', async () => {
    const url = await server.database();
    const ledgers = await Promise.all(Array.from({ length: 5 }, () => opened(url)));
    await Promise.all(ledgers.map((ledger, i) => ledger.append(said(`text ${i}`))));
    expect(await ledgers[0]?.verify()).toMatchObject({ ok: true, events: 5 });
  });

  it('is durable even where the server would rather be quick', async () => {
    const url = await server.database();
    const name = new URL(url).pathname.slice(1);
    await server.run(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await server.run(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const ledger = await opened(url);
    await ledger.append(said('kept'));
    await server.stop('QUIT');
    await server.start();
    expect((await all(ledger.events())).map(({ seq }) => seq)).toEqual([1]);
  });

  it('looks for what was written where no word of it was sent', async () => {
    const url = await server.database();
    const ledger = await opened(url);
    const { event } = await ledger.append(said('hello'), [{ plugin: 'a', handler: 'a#1' }]);
    const news: (() => void)[] = [];
    const heard = () => new Promise<void>((resolve) => news.push(resolve));
    ledger.on('elsewhere', () => news.shift()?.());
    await heard();
    const later = heard();
    await server.run(`UPDATE patchbay.deliveries SET status = 'ok' WHERE seq = ${event.seq}`, url);
    await later;
    expect(await ledger.owedPlugins()).toEqual([]);
  });

  it('tells others what was written, and that something was where it would be too long to tell', async () => {
    const url = await server.database();
    const [ledger, other] = [await opened(url), await opened(url)];
    const heard: (Elsewhere | undefined)[] = [];
    ledger.on('elsewhere', (what) => heard.push(what));
    // From the first look on it listens.
    await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(1);
    await other.append(said('hello', 'run-1'), [{ plugin: 'a', handler: 'a#1' }]);
    const word = { types: ['message:received'], runs: ['run-1'], deliveries: true, requests: false };
    await expect.poll(() => heard, { timeout: 60_000 }).toContainEqual(word);
    heard.length = 0;
    await Promise.all(Array.from({ length: 400 }, (_, i) => other.append(said('hello', `run-${i}-of-very-many`))));
    await expect.poll(() => heard.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(heard.filter((what) => what !== undefined && what.types.length > 0)).toEqual([]);
  });

  it('is never read from end to end to append to it, however it has grown since its statements were planned', async () => {
    const url = await server.database();
    const ledger = await opened(url);
    for (let i = 0; i < 30; i++) await ledger.append(said(`text ${i}`, `run-${i}`), [{ plugin: 'a', handler: 'a#1' }]);
    await Promise.all(Array.from({ length: 2000 }, (_, i) => ledger.append(said(`more ${i}`, `run-${i}`))));
    for (let i = 0; i < 30; i++) await ledger.append(said(`then ${i}`, `run-${i}`));
    await ledger.close();
    // The server counts when a session has ended.
    const sessions = "SELECT FROM pg_stat_activity WHERE application_name = 'patchbay'";
    await expect.poll(async () => (await server.run(sessions)).length, { timeout: 60_000 }).toBe(0);
    const scans = "SELECT seq_scan::int AS n FROM pg_stat_user_tables WHERE relname = 'events'";
    // Some belong to making the table.
    expect((await server.run(scans, url))[0]?.['n']).toBeLessThan(20);
  });

  it.each([
    ['the text of an event', "UPDATE events SET payload = replace(payload, 'text 2', 'text 3') WHERE seq = 3", 3],
    ['an event taken away', 'DELETE FROM events WHERE seq = 2', 2],
    ['the last event taken away', 'DELETE FROM events WHERE seq = 5', 5],
    ['another end', "UPDATE chain SET head_hash = 'x'", 5],
  ])('that was tampered with is found out: %s', async (_, sql, brokenAt) => {
    const url = await server.database();
    const ledger = await opened(url);
    for (let i = 0; i < 5; i++) await ledger.append(said(`text ${i}`));
    await server.run(`SET search_path = patchbay; ${sql}`, url);
    expect(await ledger.verify()).toMatchObject({ ok: false, broken_at: brokenAt });
  });
});
