import type { DatabaseSync } from 'node:sqlite';
import { type Ends, verifyChain } from '../chain.ts';
import type { EventRow } from '../rows.ts';
import { openStatuses } from '../run-status.ts';
import { corruption, fault } from '../sqlite/fault.ts';
import { openFile, openReader } from '../sqlite/file.ts';
import { type Moved, markMoved } from '../sqlite/moved.ts';
import { type Counts, columnsOf, type Row, type Table, tables } from './tables.ts';

/** A ledger in a file that is to be moved: nobody else writes it until `close`. */
export class Source {
  readonly #db: DatabaseSync;
  readonly #file: string;

  private constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
  }

  /** Throws what `openLedger` throws. */
  static open(file: string): Source {
    try {
      const source = new Source(openFile(file), file);
      source.#exec('BEGIN IMMEDIATE');
      return source;
    } catch (error) {
      throw fault(error, file, 'opened');
    }
  }

  /** One that was left, to be looked at. */
  static left(file: string): Source {
    return new Source(openReader(file), file);
  }

  /** Both ends of the chain. */
  ends(): Ends {
    return this.#db.prepare('SELECT anchor_seq, anchor_hash, head_seq, head_hash FROM chain').get() as unknown as Ends;
  }

  counts(): Counts {
    const countOf = ({ name }: Table) => this.#db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.['n'] as number;
    return Object.fromEntries(tables.map((table) => [table.name, countOf(table)])) as Counts;
  }

  /** The runs that have not ended, the oldest first. */
  openRuns(): readonly { readonly run_id: string; readonly status: string }[] {
    const wanted = openStatuses.map(() => '?').join(', ');
    const rows = this.#db.prepare(`SELECT run_id, status FROM runs WHERE status IN (${wanted}) ORDER BY n`);
    return rows.all(...openStatuses) as { run_id: string; status: string }[];
  }

  /** Throws `LEDGER_CORRUPT` if the chain does not hold: what is wrong here would be wrong there. */
  async verify(): Promise<void> {
    const events = this.#db.prepare('SELECT * FROM events ORDER BY seq').iterate() as Iterable<unknown>;
    const { ok, reason = '' } = await verifyChain(this.ends(), events as Iterable<EventRow>);
    if (!ok) throw corruption(this.#file, reason);
  }

  /** The rows of a table, in its order; memory does not grow with their number. */
  rows(table: Table): Iterable<Row> {
    const { name, order } = table;
    return this.#db.prepare(`SELECT ${columnsOf(table)} FROM ${name} ORDER BY ${order}`).iterate() as Iterable<Row>;
  }

  /** Says, durably, that the ledger is somewhere else now. Nothing but `close` is to be called afterwards. */
  leave(moved: Moved): void {
    try {
      markMoved(this.#db, moved);
      this.#db.exec('COMMIT');
    } catch (error) {
      throw fault(error, this.#file, 'written');
    }
  }

  /** Lets others write it again, as it was, unless it was left. May be called twice. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #exec(sql: string): void {
    try {
      this.#db.exec(sql);
    } catch (error) {
      this.close();
      throw error;
    }
  }
}
