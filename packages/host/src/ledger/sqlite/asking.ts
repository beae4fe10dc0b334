import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Answer, Statement, Value } from '../statements/steps.ts';

interface Prepared {
  readonly statement: StatementSync;
  readonly reads: boolean;
}

/** Prepares to make statements on a connection, each of which is prepared when it is first made. */
export function asking(db: DatabaseSync): (statement: Statement) => Answer {
  const known = new Map<string, Prepared>();
  const prepared = (text: string): Prepared => {
    const statement = db.prepare(text);
    const made = { statement, reads: statement.columns().length > 0 };
    known.set(text, made);
    return made;
  };
  return ({ text, values }) => {
    const { statement, reads } = known.get(text) ?? prepared(text);
    if (!reads) return { rows: [], count: Number(statement.run(...(values as Value[])).changes) };
    const rows = statement.all(...(values as Value[]));
    return { rows, count: rows.length };
  };
}
