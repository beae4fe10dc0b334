import { chatOf } from '../draft.ts';
import type { Asked } from '../postgres/session.ts';
import type { AnyPayload } from '../store.ts';
import type { Row, Table } from './tables.ts';

/** So much is sent at once. */
const mostRows = 500;
const mostCharacters = 2_000_000;

/** Rows in groups that are small enough to be held in memory. */
export function* batchesOf(rows: Iterable<Row>): Generator<readonly Row[]> {
  let [batch, characters]: [Row[], number] = [[], 0];
  for (const row of rows) {
    batch.push(row);
    for (const value of Object.values(row)) characters += typeof value === 'string' ? value.length : 0;
    if (batch.length < mostRows && characters < mostCharacters) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** The statement that puts rows into a table of a database, in their order. */
export function insertion({ name, columns }: Table, rows: readonly Row[]): Asked {
  const kinds = Object.entries(name === 'events' ? { ...columns, chat: 'text' } : columns);
  const named = kinds.map(([column]) => `"${column}"`).join(', ');
  const given = kinds.map(([, kind], i) => `$${i + 1}::${kind}[]`).join(', ');
  const text = `INSERT INTO ${name} (${named})
    SELECT ${named} FROM unnest(${given}) WITH ORDINALITY AS given (${named}, place) ORDER BY place`;
  const sent = (row: Row, column: string) => (column === 'chat' ? chatIn(row) : row[column]);
  return { text, name: `move_${name}`, values: kinds.map(([column]) => rows.map((row) => sent(row, column))) };
}

/** PostgreSQL keeps apart in which chat an event was said; SQLite looks into the payload. */
function chatIn({ payload }: Row): string | null {
  const text = String(payload);
  // Reading every payload would take longer than moving it.
  if (!text.includes('"chat_jid"')) return null;
  return chatOf(JSON.parse(text) as AnyPayload)?.toWellFormed() ?? null;
}
