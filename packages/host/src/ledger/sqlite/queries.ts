import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect, sql } from 'kysely';
import type { Queries } from '../read.ts';

// In the words of the index.
const where = sql`CASE WHEN json_valid(e.payload) THEN json_extract(e.payload, '$.chat_jid') END`;
const isSaid = sql`(e.type = 'message:received' OR e.type = 'message:sent' OR e.type = 'chat:cleared')`;

/** Queries on a connection that stays its owner's: do not `destroy` them. */
export function queriesOn(db: DatabaseSync): Queries {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  const prepare = (text: string) => {
    const statement = db.prepare(text);
    return {
      reader: statement.columns().length > 0,
      all: (parameters: readonly unknown[]) => statement.all(...values(parameters)),
      run: (parameters: readonly unknown[]) => statement.run(...values(parameters)),
      iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
    };
  };
  return {
    db: new Kysely({ dialect: new SqliteDialect({ database: { prepare, close: () => {} } }) }),
    like: (pattern) => sql`+e.type GLOB ${pattern.replaceAll(/[?[]/g, '[$&]')}`,
    said: (chat) => sql`${where} = ${chat} AND ${isSaid}`,
    // The plus keeps the order of places: no sorting.
    apart: (column) => sql.raw(`+${column}`),
  };
}
