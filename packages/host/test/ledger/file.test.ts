import { once } from 'node:events';
import { chmodSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLedger } from '../../src/ledger/index.ts';
import { openFile } from '../../src/ledger/sqlite/file.ts';
import { migrations } from '../../src/ledger/sqlite/migrations.ts';
import { queriesOn } from '../../src/ledger/sqlite/queries.ts';
import { all, behind, inProcess, ledgerFile, opened, said } from './scratch.ts';

const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);
const schemaOf = (file: string) =>
  behind(file, (db) => db.prepare('SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name').all()).map(
    ({ name, sql }) => [name, String(sql).replaceAll(/\s+/g, ' ')],
  );
const settings = (file: string) =>
  behind(file, (db) =>
    ['journal_mode', 'user_version'].map((name) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]),
  );

/** A file of this content where a ledger should be. */
function fileOf(content: string | Buffer): string {
  const file = ledgerFile();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

describe('the file of a ledger', () => {
  it('is for its owner only', async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const file = ledgerFile();
    const ledger = await opened(file);
    await ledger.append(said('secret'));
    expect(rights(dirname(file))).toBe('700');
    for (const name of readdirSync(dirname(file)))
      expect([name, rights(join(dirname(file), name))]).toEqual([name, '600']);
    expect(readdirSync(dirname(file)).toSorted()).toEqual(['ledger.db', 'ledger.db-shm', 'ledger.db-wal']);
  });

  it('lets the rights of a folder that is there alone', async () => {
    const file = ledgerFile();
    mkdirSync(dirname(file));
    chmodSync(dirname(file), 0o755);
    await opened(file);
    expect(rights(dirname(file))).toBe('755');
  });

  it('is one whole file when nobody has it open', async () => {
    const file = ledgerFile();
    const ledger = await opened(file);
    await ledger.append(said('hello'));
    await ledger.close();
    expect(readdirSync(dirname(file))).toEqual(['ledger.db']);
    expect(settings(file)).toEqual(['wal', migrations.length]);
  });

  it.each<[what: string, content: string | Buffer]>([
    ['is no database', 'hello\n'.repeat(1000)],
    ['is cut off in its first page', Buffer.from('SQLite format 3\0')],
    ['is empty', ''],
  ])('that %s is refused, and left as it is', async (_, content) => {
    const file = fileOf(content);
    const error = { code: 'LEDGER_CORRUPT', file, message: expect.stringContaining(file) };
    await expect(openLedger(file)).rejects.toMatchObject(error);
    expect(readFileSync(file).equals(Buffer.from(content))).toBe(true);
  });

  it('that is a database of somebody else is refused, and left as it is', async () => {
    const file = fileOf('');
    behind(file, (db) => db.exec('CREATE TABLE notes (text)'));
    await expect(openLedger(file)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT', file });
    expect(schemaOf(file)).toHaveLength(1);
  });

  it('of a newer version is refused, and left as it is', async () => {
    const file = ledgerFile();
    await (await openLedger(file)).close();
    behind(file, (db) => db.exec('PRAGMA user_version = 99'));
    const message = `the ledger ${file} has version 99, this Patchbay knows versions up to ${migrations.length}`;
    await expect(openLedger(file)).rejects.toMatchObject({ code: 'LEDGER_NEWER', file, message });
    expect(settings(file)).toEqual(['wal', 99]);
  });

  it('that cannot be made is an error that says why', async () => {
    const file = join(fileOf('a file, not a folder'), 'ledger.db');
    await expect(openLedger(file)).rejects.toMatchObject({ code: 'LEDGER_WRITE', file });
  });

  it('that somebody else keeps locked is waited for', async () => {
    const file = ledgerFile();
    const ledger = await opened(file);
    const holder = inProcess('holder.ts', [file, '300']);
    await once(holder.lines, 'line');
    expect((await ledger.append(said('hello'))).event.seq).toBe(1);
    expect(await holder.ended).toEqual([0, null]);
  });
});

describe('what was said in a chat', () => {
  it('is found by an index: SQLite does not see on its own that the index holds what the question asks for', () => {
    const db = openFile(ledgerFile());
    onTestFinished(() => db.close());
    const { db: query, said: saidIn } = queriesOn(db);
    const { sql, parameters } = query
      .selectFrom('events as e')
      .selectAll()
      .where(saidIn('a'))
      .orderBy('e.seq')
      .compile();
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(parameters as string[]));
    expect(plan.map(({ detail }) => detail)).toEqual(['SEARCH e USING INDEX events_by_chat (<expr>=?)']);
  });
});

describe('a ledger of an earlier version', () => {
  /** A file of each version, as that version wrote it, and what was in it. */
  const versions = [
    { version: 1, texts: ['one', 'two', 'three'], deliveries: ['1.1 ok', '1.2 failed', '3.1 owed', '3.2 owed'] },
    { version: 2, texts: ['one', 'two', 'three'], deliveries: ['1.1 ok', '1.2 failed', '3.1 owed', '3.2 owed'] },
    { version: 3, texts: ['one', 'two', 'three'], deliveries: ['1.1 ok', '1.2 failed', '3.1 owed', '3.2 sending'] },
    { version: 4, texts: ['one', 'two', 'three'], deliveries: ['1.1 ok', '1.2 failed', '3.1 owed', '3.2 sending'] },
    { version: 5, texts: ['one', 'two', 'three'], deliveries: ['1.1 ok', '1.2 failed', '3.1 owed', '3.2 sending'] },
    { version: 6, texts: ['one', 'two', 'three'], deliveries: ['1.1 ok', '1.2 failed', '3.1 owed', '3.2 sending'] },
  ];
  const fixture = (version: number) => join(import.meta.dirname, 'fixtures', `v${version}.sql`);

  it('has a fixture, whichever it is', () => {
    expect(versions.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
    expect(globSync('*.sql', { cwd: dirname(fixture(1)) })).toHaveLength(migrations.length);
  });

  it.each(versions)('$version is brought to the newest one and goes on', async ({ version, texts, deliveries }) => {
    const file = fileOf('');
    behind(file, (db) => db.exec(`PRAGMA journal_mode = WAL; ${readFileSync(fixture(version), 'utf8')}`));
    expect(settings(file)).toEqual(['wal', version]);
    const ledger = await opened(file);
    const kept = (await all(ledger.events())).map(({ payload }) => 'content' in payload && payload.content);
    expect(kept).toEqual(texts);
    expect((await all(ledger.deliveries())).map(({ id, status }) => `${id} ${status}`)).toEqual(deliveries);
    expect(await ledger.verify()).toMatchObject({ ok: true, events: texts.length });
    const { event } = await ledger.append(said('new'), [{ plugin: 'audit', handler: 'audit#1' }]);
    expect(event.seq).toBe(texts.length + 1);
    expect(await ledger.verify()).toMatchObject({ ok: true, events: texts.length + 1, head: event.hash });
    const fresh = ledgerFile();
    await opened(fresh);
    expect(schemaOf(file)).toEqual(schemaOf(fresh));
    expect(settings(file)).toEqual(settings(fresh));
  });
});
