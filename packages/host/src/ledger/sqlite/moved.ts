import type { DatabaseSync } from 'node:sqlite';
import { PatchbayError } from 'patchbay-sdk';

/** Stands where the version of a ledger does once it was moved: a Patchbay that does not know of this takes it for too new. */
export const movedVersion = 0x7fff_ffff;

/** Where a ledger was moved to. */
export interface Moved {
  /** By which the database that has it now knows the move. */
  readonly id: string;
  readonly at: string;
  /** The URL, without the password. */
  readonly target: string;
}

const tables = ['events', 'chain', 'deliveries', 'failing', 'runs', 'endpoints', 'notes'];
const ways = ['INSERT', 'UPDATE', 'DELETE'];

/**
 * Says in a ledger that it was moved, inside a transaction of the caller's. From then on nobody opens it, and whoever has it open can
 * write nothing: not even a process of another version.
 */
export function markMoved(db: DatabaseSync, { id, at, target }: Moved): void {
  db.exec('CREATE TABLE moved (id TEXT NOT NULL, at TEXT NOT NULL, target TEXT NOT NULL) STRICT');
  db.prepare('INSERT INTO moved VALUES (?, ?, ?)').run(id, at, target);
  const said = `'it was moved to ${target.replaceAll("'", "''")} at ${at}'`;
  for (const table of tables) {
    for (const way of ways) {
      db.exec(`CREATE TRIGGER moved_${table}_${way} BEFORE ${way} ON ${table} BEGIN SELECT RAISE(ABORT, ${said}); END`);
    }
  }
  db.exec(`PRAGMA user_version = ${movedVersion}`);
}

/** Where the ledger behind a connection was moved to, whose version says that it was. */
export function readMoved(db: DatabaseSync): Moved {
  return db.prepare('SELECT id, at, target FROM moved').get() as unknown as Moved;
}

/** For whoever wants to use a ledger that was moved. */
export function ledgerMoved(file: string, how: string, cause?: unknown): PatchbayError {
  return new PatchbayError('LEDGER_MOVED', `the ledger ${file} is not used any more: ${how}`, { file, cause });
}
