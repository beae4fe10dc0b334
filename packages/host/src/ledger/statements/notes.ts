import { rowIn, rowsIn, type Steps, to } from './steps.ts';

interface NoteRow {
  readonly key: string;
  readonly value: string;
}

const one = 'SELECT key, value FROM notes WHERE key = ?';
const some = 'SELECT key, value FROM notes WHERE substr(key, 1, ?) = ? ORDER BY key';
const set = 'INSERT INTO notes (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
const remove = 'DELETE FROM notes WHERE key = ?';

/** What is noted under a key; undefined if nothing is. */
export function* readNote(key: string): Steps<unknown> {
  const row = rowIn<NoteRow>(yield to(one, key));
  return row === undefined ? undefined : JSON.parse(row.value);
}

/** What is noted under the keys that begin so. */
export function* readNotes(prefix: string): Steps<ReadonlyMap<string, unknown>> {
  const rows = rowsIn<NoteRow>(yield to(some, [...prefix].length, prefix));
  return new Map(rows.map(({ key, value }) => [key, JSON.parse(value)]));
}

/** `json` is undefined if nothing is to be noted any more. */
export function* writeNote(key: string, json: string | undefined): Steps<void> {
  yield json === undefined ? to(remove, key) : to(set, key, json);
}
