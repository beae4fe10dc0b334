import type { DatabaseSync } from 'node:sqlite';
import type { MemoryCategory } from 'patchbay-sdk';
import type { Earlier, Entry, Listed, NewEntry, Recalled, Retention } from './entry.ts';
import { likePattern, needsPieces, queryOf } from './query.ts';

interface Row {
  readonly id: number;
  readonly key: string;
  readonly content: string;
  readonly category: MemoryCategory;
  readonly metadata: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived: number;
}

/** What a search gives, in the order of its columns: objects would cost more than the search for a rare word. */
type Ranked = [
  id: number,
  key: string,
  content: string,
  category: MemoryCategory,
  metadata: string | null,
  created_at: string,
  updated_at: string,
  score: number,
];

const columns = 'e.id, e.key, e.content, e.category, e.metadata, e.created_at, e.updated_at';
/** What is due is looked for so often. */
const lookMs = 1000;
const hour = 3_600_000;

/** What is done with the entries of one group. Those that change something belong inside a transaction. */
export class Statements {
  readonly #retention: Retention;
  readonly #prepare;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(db: DatabaseSync, retention: Retention) {
    this.#retention = retention;
    const search = (index: string, where: string) => {
      const statement = db.prepare(`SELECT ${columns}, -f.rank AS score FROM ${index} f JOIN entries e ON e.id = f.rowid
        WHERE ${index} MATCH ? ${where} ORDER BY f.rank, f.rowid LIMIT ?`);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#prepare = {
      one: db.prepare('SELECT * FROM entries e WHERE key = ?'),
      insert: db.prepare(`INSERT INTO entries (key, content, category, metadata, created_at, updated_at, due_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`),
      update: db.prepare(`UPDATE entries SET content = ?, category = ?, metadata = ?, updated_at = ?, due_at = ?,
        archived = 0 WHERE id = ?`),
      remove: db.prepare('DELETE FROM entries WHERE id = ?'),
      archive: db.prepare('UPDATE entries SET archived = 1, due_at = NULL WHERE id = ?'),
      index: db.prepare('INSERT INTO words (rowid, key, content) VALUES (?, ?, ?)'),
      unindex: db.prepare("INSERT INTO words (words, rowid, key, content) VALUES ('delete', ?, ?, ?)"),
      cut: db.prepare('INSERT INTO pieces (rowid, key, content) VALUES (?, ?, ?)'),
      uncut: db.prepare('DELETE FROM pieces WHERE rowid = ?'),
      remember: db.prepare('INSERT INTO history (key, content, category, metadata, until) VALUES (?, ?, ?, ?, ?)'),
      history: db.prepare('SELECT * FROM history WHERE key = ? ORDER BY n DESC'),
      isDue: db.prepare('SELECT 1 FROM entries WHERE due_at <= ? LIMIT 1'),
      due: db.prepare('SELECT * FROM entries e WHERE due_at <= ? ORDER BY due_at LIMIT 1000'),
      surplus: db.prepare(`SELECT * FROM entries e WHERE category = 'conversation' AND archived = 0
        ORDER BY updated_at DESC, id DESC LIMIT 1000 OFFSET ?`),
      words: search('words', ''),
      wordsOf: search('words', 'AND e.category = ?'),
      pieces: search('pieces', ''),
      piecesOf: search('pieces', 'AND e.category = ?'),
      like: db.prepare(`SELECT ${columns}, 0 AS score FROM entries e WHERE archived = 0
        AND (content LIKE ?1 ESCAPE '\\' OR key LIKE ?1 ESCAPE '\\') AND (?2 IS NULL OR category = ?2)
        ORDER BY updated_at DESC LIMIT ?3`),
      list: db.prepare(`SELECT key, category, created_at, updated_at, archived FROM entries e
        WHERE archived = 0 AND (?1 IS NULL OR category = ?1) ORDER BY updated_at DESC, id DESC LIMIT ?2 OFFSET ?3`),
      all: db.prepare('SELECT * FROM entries ORDER BY id'),
    };
    this.#prepare.like.setReturnArrays(true);
  }

  /** Whether there was one of this key before. */
  save({ key, content, category, metadata }: NewEntry, at: Date): { updated: boolean; created_at: string } {
    const now = at.toISOString();
    const text = metadata === null ? null : JSON.stringify(metadata);
    const due = this.#dueAt(category, at);
    const before = this.#prepare.one.get(key) as unknown as Row | undefined;
    if (before === undefined) {
      const { lastInsertRowid } = this.#prepare.insert.run(key, content, category, text, now, now, due);
      this.#index(Number(lastInsertRowid), key, content);
      if (category === 'conversation') this.#trim();
      return { updated: false, created_at: now };
    }
    if (before.archived === 0) this.#unindex(before);
    this.#remember(before, now);
    this.#prepare.update.run(content, category, text, now, due, before.id);
    this.#index(before.id, key, content);
    return { updated: true, created_at: before.created_at };
  }

  /** Whether there was one. */
  forget(key: string, at: Date): boolean {
    const row = this.#prepare.one.get(key) as unknown as Row | undefined;
    if (row === undefined) return false;
    this.#remember(row, at.toISOString());
    this.#drop(row);
    return true;
  }

  recall(text: string, category: MemoryCategory | null, limit: number): Recalled[] {
    const { words, pieces, plain } = queryOf(text);
    const answers: Ranked[][] = [];
    const ask = (rows: unknown) => answers.push(rows as Ranked[]);
    const { wordsOf, piecesOf, like, ...any } = this.#prepare;
    if (words !== undefined) ask(category === null ? any.words.all(words, limit) : wordsOf.all(words, category, limit));
    if (pieces !== undefined) {
      ask(category === null ? any.pieces.all(pieces, limit) : piecesOf.all(pieces, category, limit));
    }
    for (const part of plain) ask(like.all(likePattern(part), category, limit));
    const whole = text.trim();
    // It may still be part of a word.
    if (whole !== '' && answers.every((rows) => rows.length === 0)) ask(like.all(likePattern(whole), category, limit));
    return best(answers, limit).map(recalledOf);
  }

  list(category: MemoryCategory | null, limit: number, offset: number): Listed[] {
    const rows = this.#prepare.list.all(category, limit, offset) as unknown as Row[];
    return rows.map(({ key, category: its, created_at, updated_at, archived }) => {
      return { key, category: its, created_at, updated_at, archived: archived === 1 };
    });
  }

  /** What an entry said before, the latest first. */
  history(key: string): Earlier[] {
    const rows = this.#prepare.history.all(key) as unknown as (Row & { until: string })[];
    return rows.map(({ content, category, metadata, until }) => {
      return { content, category, metadata: parsed(metadata), until };
    });
  }

  /** Everything, archived entries included. */
  *all(): Generator<Entry> {
    for (const row of this.#prepare.all.iterate()) yield entryOf(row as unknown as Row);
  }

  /** Whether something is due; looked up at most once a second. */
  isDue(at: Date): boolean {
    if (Math.abs(at.getTime() - this.#lookedAt) < lookMs) return false;
    this.#lookedAt = at.getTime();
    return this.#prepare.isDue.get(at.toISOString()) !== undefined;
  }

  /** Lets go of what is due: daily entries are gone, those of conversations are archived. */
  sweep(at: Date): void {
    for (;;) {
      const rows = this.#prepare.due.all(at.toISOString()) as unknown as Row[];
      for (const row of rows) this.#expire(row);
      if (rows.length < 1000) break;
    }
  }

  #expire(row: Row): void {
    if (row.category === 'conversation') this.#archive(row);
    else this.#drop(row);
  }

  #trim(): void {
    const rows = this.#prepare.surplus.all(this.#retention.conversationCount) as unknown as Row[];
    for (const row of rows) this.#archive(row);
  }

  #archive(row: Row): void {
    this.#unindex(row);
    this.#prepare.archive.run(row.id);
  }

  #drop(row: Row): void {
    if (row.archived === 0) this.#unindex(row);
    this.#prepare.remove.run(row.id);
  }

  #remember({ key, content, category, metadata }: Row, now: string): void {
    this.#prepare.remember.run(key, content, category, metadata, now);
  }

  #index(id: number, key: string, content: string): void {
    this.#prepare.index.run(id, key, content);
    if (needsPieces(content) || needsPieces(key)) this.#prepare.cut.run(id, key, content);
  }

  #unindex({ id, key, content }: Row): void {
    this.#prepare.unindex.run(id, key, content);
    if (needsPieces(content) || needsPieces(key)) this.#prepare.uncut.run(id);
  }

  #dueAt(category: MemoryCategory, at: Date): string | null {
    const { dailyHours, conversationDays } = this.#retention;
    if (category === 'daily') return new Date(at.getTime() + dailyHours * hour).toISOString();
    if (category === 'conversation') return new Date(at.getTime() + conversationDays * 24 * hour).toISOString();
    return null;
  }
}

/** What several searches found, as one answer. */
function best(answers: readonly Ranked[][], limit: number): Ranked[] {
  const [only = []] = answers;
  if (answers.length <= 1) return only;
  const found = new Map<number, Ranked>();
  for (const row of answers.flat()) {
    const known = found.get(row[0]);
    found.set(row[0], known === undefined ? row : (row.with(7, row[7] + known[7]) as Ranked));
  }
  return [...found.values()].sort((a, b) => b[7] - a[7] || a[0] - b[0]).slice(0, limit);
}

function parsed(metadata: string | null): Readonly<Record<string, unknown>> | null {
  return metadata === null ? null : (JSON.parse(metadata) as Record<string, unknown>);
}

function entryOf({ key, content, category, metadata, created_at, updated_at, archived }: Row): Entry {
  return { key, content, category, metadata: parsed(metadata), created_at, updated_at, archived: archived === 1 };
}

function recalledOf([, key, content, category, metadata, created_at, updated_at, score]: Ranked): Recalled {
  return { key, content, category, metadata: parsed(metadata), created_at, updated_at, archived: false, score };
}
