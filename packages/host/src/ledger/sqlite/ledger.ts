import type { DatabaseSync } from 'node:sqlite';
import type { PatchbayError } from 'patchbay-sdk';
import { type Ends, verifyChain } from '../chain.ts';
import { Ledger } from '../ledger.ts';
import type { Queries } from '../read.ts';
import type { EventRow } from '../rows.ts';
import { made, type Steps } from '../statements/steps.ts';
import type { Append, Storage, Writing } from '../storage.ts';
import type { Appended, LedgerStore, Verified } from '../store.ts';
import { appending } from './append.ts';
import { asking } from './asking.ts';
import { fault } from './fault.ts';
import { openFile, openReader } from './file.ts';
import { Head } from './head.ts';
import { queriesOn } from './queries.ts';
import { watching } from './watch.ts';
import { Writer } from './writer.ts';

/**
 * Opens the ledger in a file, `<project>/.patchbay/ledger.db`, which is made if there is none. Several processes may
 * have it open. Throws `LEDGER_CORRUPT`, `LEDGER_NEWER` if a later Patchbay has written it, `LEDGER_MOVED` if it is in a database
 * now, and `LEDGER_WRITE`.
 */
export async function openLedger(file: string): Promise<LedgerStore> {
  try {
    return new Ledger(new SqliteStorage(openFile(file), file));
  } catch (error) {
    throw fault(error, file, 'opened');
  }
}

class SqliteStorage implements Storage {
  readonly queries: Queries;
  readonly watch: Storage['watch'];
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #writer: Writer;
  readonly #append: (append: Append) => Appended;
  readonly #answer;

  constructor(db: DatabaseSync, file: string) {
    const head = new Head(db);
    this.#db = db;
    this.#file = file;
    this.queries = queriesOn(db);
    this.watch = watching(db);
    this.#writer = new Writer(db, file, head);
    this.#append = appending(db, head);
    this.#answer = asking(db);
  }

  ask<T>(steps: Steps<T>): T {
    return made(steps, this.#answer);
  }

  append(append: Append, told: (appended: Appended) => void): Promise<Appended> {
    return this.#writer.write(() => this.#append(append), { told, characters: append.draft.payload.length });
  }

  write<T>(change: () => Steps<T>, writing?: Writing<T>): Promise<T> {
    return this.#writer.write(() => this.ask(change()), writing);
  }

  async verify(): Promise<Verified> {
    const reader = openReader(this.#file);
    try {
      reader.exec('BEGIN');
      const ends = reader.prepare('SELECT * FROM chain').get() as unknown as Ends;
      const events = reader.prepare('SELECT * FROM events ORDER BY seq').iterate() as Iterable<unknown>;
      return await verifyChain(ends, events as Iterable<EventRow>);
    } finally {
      reader.close();
    }
  }

  fault(error: unknown, doing: string): PatchbayError {
    return fault(error, this.#file, doing);
  }

  flush(): void {
    this.#writer.flush();
  }

  close(): void {
    this.#db.close();
  }
}
