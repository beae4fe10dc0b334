import { type Ends, verifyChain } from '../chain.ts';
import { corruption } from '../postgres/fault.ts';
import type { Session } from '../postgres/session.ts';
import { batchesOf, insertion } from './batches.ts';
import type { Source } from './source.ts';
import { columnsOf, Digest, type Row, type Table, type TableName, tables } from './tables.ts';

/** Hears how many rows of a table have been moved. */
export type Told = (table: TableName, count: number) => void;

const rowsAtOnce = 500;
const withinMs = 3_600_000;

/** Puts all that a ledger has into the empty tables of a database, in a transaction of the caller's. Gives by what it is known again. */
export async function copyAll(session: Session, source: Source, told: Told): Promise<ReadonlyMap<Table, Digest>> {
  const digests = new Map<Table, Digest>();
  for (const table of tables) {
    const digest = new Digest(table);
    digests.set(table, digest);
    for (const rows of batchesOf(source.rows(table))) {
      for (const row of rows) digest.add(row);
      await session.make({ ...insertion(table, rows), withinMs });
      told(table.name, digest.count);
    }
  }
  const { anchor_seq, anchor_hash, head_seq, head_hash } = source.ends();
  const ends = [anchor_seq, anchor_hash, head_seq, head_hash];
  await session.ask('UPDATE chain SET anchor_seq = $1, anchor_hash = $2, head_seq = $3, head_hash = $4', ends);
  return digests;
}

/** Reads back what was put there: the chain must hold and end as before, and every row be the same. Throws `LEDGER_CORRUPT`. */
export async function compareAll(
  session: Session,
  source: Source,
  copied: ReadonlyMap<Table, Digest>,
  shown: string,
): Promise<void> {
  const ends = (await session.ask('SELECT * FROM chain')).rows[0] as Ends;
  for (const [table, given] of copied) {
    const digest = new Digest(table);
    const kept = keptIn(session, table, digest);
    if (table.name === 'events') {
      const { ok, head, reason = 'its end is another one' } = await verifyChain(ends, kept as AsyncIterable<never>);
      const isSame = ok && (head ?? '') === source.ends().head_hash;
      if (!isSame) throw corruption(shown, `after it was moved, ${reason}`);
    } else for await (const _ of kept);
    if (digest.count !== given.count || digest.text() !== given.text()) {
      throw corruption(shown, `"${table.name}" is not the same after it was moved`);
    }
  }
}

/** The rows of a table as the database has them, each of which is added to a digest. */
async function* keptIn(session: Session, table: Table, digest: Digest): AsyncGenerator<Row> {
  const { name, order } = table;
  await session.ask(`DECLARE kept CURSOR FOR SELECT ${columnsOf(table)} FROM ${name} ORDER BY ${order}`);
  for (let rows: readonly unknown[] = [0]; rows.length > 0; ) {
    rows = (await session.make({ text: `FETCH ${rowsAtOnce} FROM kept`, withinMs })).rows;
    for (const row of rows as Row[]) {
      digest.add(row);
      yield row;
    }
  }
  await session.ask('CLOSE kept');
}
