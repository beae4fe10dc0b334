import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PatchbayError } from 'patchbay-sdk';
import { corruption } from './fault.ts';
import { applicationId, migrations } from './migrations.ts';
import { ledgerMoved, type Moved, movedVersion, readMoved } from './moved.ts';

/** How long to wait for another process that writes. Its transactions take milliseconds. */
const patienceMs = 10_000;

/**
 * A connection to the ledger in a file, which is made if there is none, of the newest version. Throws `LEDGER_CORRUPT`,
 * `LEDGER_NEWER`, `LEDGER_MOVED`, and whatever SQLite and the file system throw.
 */
export function openFile(file: string): DatabaseSync {
  if (!existsSync(file)) create(file);
  removeDeadDrafts(file);
  // Nothing of ours is ever empty, but SQLite would take it for a new database.
  if (statSync(file).size === 0) throw corruption(file, 'it is empty');
  const db = connect(file);
  try {
    checkKind(db, file);
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A connection that only reads, for what must see one state for long. */
export function openReader(file: string): DatabaseSync {
  return new DatabaseSync(file, { readOnly: true, timeout: patienceMs });
}

/** Where the ledger in a file was moved to; undefined if it was not. Throws whatever SQLite throws. */
export function movedFrom(file: string): Moved | undefined {
  const db = openReader(file);
  try {
    return numberOf(db, 'user_version') === movedVersion ? readMoved(db) : undefined;
  } finally {
    db.close();
  }
}

function connect(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: patienceMs, enableForeignKeyConstraints: true });
  // A commit is on the disk, not only in the hands of the operating system, before it is told.
  // Moving what was committed from the log to the database stops everything for milliseconds: four times less often than usual.
  db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864;');
  return db;
}

/**
 * Made complete under another name and then linked: a ledger is there whole or not at all, whoever dies meanwhile and
 * however many make it at once.
 */
function create(file: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  try {
    rmSync(draft, { force: true });
    closeSync(openSync(draft, 'wx', 0o600));
    const db = connect(draft);
    try {
      // Twice what SQLite would take: events are about a kilobyte, of which few fit, and each page is written on its own.
      db.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA application_id = ${applicationId};`);
      migrate(db, file);
    } finally {
      db.close();
    }
    linkSync(draft, file);
    syncFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(draft + end, { force: true });
  }
}

/** What a process left that died while it made a ledger. */
function removeDeadDrafts(file: string): void {
  const draft = new RegExp(`^${RegExp.escape(basename(file))}\\.(\\d+)\\.new(?:-wal|-shm|-journal)?$`);
  for (const name of readdirSync(dirname(file))) {
    const [, pid] = draft.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dirname(file), name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function checkKind(db: DatabaseSync, file: string): void {
  if (numberOf(db, 'application_id') !== applicationId) throw corruption(file, 'it is a database, but not a ledger');
}

function migrate(db: DatabaseSync, file: string): void {
  if (numberOf(db, 'user_version') === migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Asked again now that nobody else can be migrating it.
    const version = numberOf(db, 'user_version');
    if (version === movedVersion) {
      const { target, at } = readMoved(db);
      throw ledgerMoved(file, `it was moved to ${target} at ${at}`);
    }
    if (version > migrations.length) throw newer(file, version);
    for (const step of migrations.slice(version)) db.exec(step);
    db.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function newer(file: string, version: number): PatchbayError {
  return new PatchbayError(
    'LEDGER_NEWER',
    `the ledger ${file} has version ${version}, this Patchbay knows versions up to ${migrations.length}`,
    { file },
  );
}

function numberOf(db: DatabaseSync, pragma: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
