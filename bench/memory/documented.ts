import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/**
 * The design that the Pynchy document describes, for comparison: one table and one full-text index for all groups, kept
 * in step by triggers, ranked over everything and then cut down to the group, a transaction for each save.
 */
export class Documented {
  readonly #db: DatabaseSync;
  readonly #save;
  readonly #recall;
  readonly #like;
  readonly #list;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    this.#db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE memories (id TEXT PRIMARY KEY, group_folder TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL,
        category TEXT NOT NULL, metadata TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        UNIQUE (group_folder, key));
      CREATE VIRTUAL TABLE found USING fts5 (key, content, content='memories', content_rowid='rowid');
      CREATE TRIGGER inserted AFTER INSERT ON memories BEGIN
        INSERT INTO found (rowid, key, content) VALUES (new.rowid, new.key, new.content);
      END;
      CREATE TRIGGER updated AFTER UPDATE ON memories BEGIN
        INSERT INTO found (found, rowid, key, content) VALUES ('delete', old.rowid, old.key, old.content);
        INSERT INTO found (rowid, key, content) VALUES (new.rowid, new.key, new.content);
      END;`);
    this.#save = this.#db.prepare(`INSERT INTO memories VALUES (?, ?, ?, ?, 'core', NULL, ?, ?)
      ON CONFLICT (group_folder, key) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at`);
    this.#recall = this.#db.prepare(`SELECT m.key, m.content, m.category, -bm25(found) AS score FROM found f
      JOIN memories m ON m.rowid = f.rowid WHERE found MATCH ? AND m.group_folder = ? ORDER BY bm25(found) LIMIT ?`);
    this.#like = this.#db.prepare(`SELECT key, content, category FROM memories WHERE group_folder = ?
      AND (content LIKE ? OR key LIKE ?) ORDER BY updated_at DESC LIMIT ?`);
    this.#list = this.#db.prepare(
      'SELECT key, category, updated_at FROM memories WHERE group_folder = ? ORDER BY updated_at DESC',
    );
  }

  save(group: string, key: string, content: string): void {
    const now = new Date().toISOString();
    this.#save.run(randomUUID(), group, key, content, now, now);
  }

  recall(group: string, query: string, limit = 10): { key: string }[] {
    const words = query.split(/\s+/).map((word) => `"${word}"`);
    const rows = this.#recall.all(words.join(' OR '), group, limit) as { key: string }[];
    return rows.length > 0 ? rows : (this.#like.all(group, `%${query}%`, `%${query}%`, limit) as { key: string }[]);
  }

  list(group: string): unknown[] {
    return this.#list.all(group);
  }

  close(): void {
    this.#db.close();
  }
}
