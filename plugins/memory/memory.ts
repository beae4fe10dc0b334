import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Memory, MemoryCategory } from 'patchbay-sdk';
import {
  checkCategory,
  checkEntry,
  checkKey,
  checkLimit,
  type Earlier,
  type Entry,
  type Listed,
  type NewEntry,
  type Recalled,
  type Retention,
} from './entry.ts';
import { openFile } from './group.ts';
import { Statements } from './statements.ts';

/** What may be said of a memory. */
export interface MemoryOptions extends Partial<Retention> {
  /** The folder with a file for each group; made when the first entry is saved. */
  readonly dir: string;
  /** @default the system's clock */
  readonly now?: () => Date;
}

interface Change {
  perform(statements: Statements): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Group {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  queue: Change[];
}

/** So many files are open at once. */
const mostOpen = 64;
const usual: Retention = { dailyHours: 24, conversationDays: 7, conversationCount: 500 };

/**
 * Memory in SQLite, a file for each group: nothing of one group is seen or counted into the ranking of another. What was
 * saved is kept when the promise resolves; saves of one moment are one transaction.
 */
export class SqliteMemory implements Memory {
  readonly name = 'sqlite';
  readonly #dir: string;
  readonly #retention: Retention;
  readonly #now: () => Date;
  readonly #groups = new Map<string, Group>();

  constructor({ dir, now = () => new Date(), ...retention }: MemoryOptions) {
    this.#dir = dir;
    this.#now = now;
    this.#retention = { ...usual, ...retention };
  }

  async init(): Promise<void> {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
  }

  /** Keeps an entry; one of the same key is replaced, and its text kept in the history. Throws a TypeError on bad input. */
  async save(
    group: string,
    key: string,
    content: string,
    category: MemoryCategory = 'core',
    metadata: Record<string, unknown> | null = null,
  ): Promise<Record<string, unknown>> {
    const entry: NewEntry = { key, content, category, metadata };
    checkEntry(entry);
    const saved = (await this.#change(group, (statements) => statements.save(entry, this.#now()))) as {
      updated: boolean;
      created_at: string;
    };
    return { key, category, ...saved };
  }

  /** The entries that fit best, the best one first. Any text is a legal query. */
  async recall(
    group: string,
    query: string,
    category: MemoryCategory | null = null,
    limit = 10,
  ): Promise<Record<string, unknown>[] & Recalled[]> {
    if (typeof query !== 'string') throw new TypeError('"query" must be a text');
    if (category !== null) checkCategory(category);
    checkLimit(limit);
    return (await this.#read(group, (statements) => statements.recall(query, category, limit), [])) as never;
  }

  /** Lets go of an entry. Its history stays. */
  async forget(group: string, key: string): Promise<Record<string, unknown>> {
    checkKey(key);
    if (!existsSync(this.#file(group))) return { key, forgotten: false };
    return { key, forgotten: await this.#change(group, (statements) => statements.forget(key, this.#now())) };
  }

  /** The entries, those changed last first: all of them, or a page. */
  async listKeys(
    group: string,
    category: MemoryCategory | null = null,
    { limit, offset = 0 }: { limit?: number; offset?: number } = {},
  ): Promise<Record<string, unknown>[] & Listed[]> {
    if (category !== null) checkCategory(category);
    if (limit !== undefined) checkLimit(limit);
    return (await this.#read(group, (statements) => statements.list(category, limit ?? -1, offset), [])) as never;
  }

  /** What an entry said before it was corrected or forgotten, the latest first. */
  async history(group: string, key: string): Promise<Earlier[]> {
    return this.#read(group, (statements) => statements.history(key), []);
  }

  /** Everything a group has, archived entries included. */
  async export(group: string): Promise<Entry[]> {
    return this.#read(group, (statements) => [...statements.all()], []);
  }

  /** Saves all of these, or none. */
  async import(group: string, entries: readonly NewEntry[]): Promise<number> {
    for (const entry of entries) checkEntry(entry);
    const at = this.#now();
    await this.#change(group, (statements) => {
      for (const entry of entries) statements.save(entry, at);
    });
    return entries.length;
  }

  async close(): Promise<void> {
    for (const group of this.#groups.values()) {
      flush(group);
      group.db.close();
    }
    this.#groups.clear();
  }

  async #read<T>(group: string, look: (statements: Statements) => T, none: T): Promise<T> {
    if (!this.#groups.has(group) && !existsSync(this.#file(group))) return none;
    const now = this.#now();
    if (this.#open(group).statements.isDue(now)) await this.#change(group, (these) => these.sweep(now));
    return look(this.#open(group).statements);
  }

  #change(group: string, perform: Change['perform']): Promise<unknown> {
    const opened = this.#open(group);
    return new Promise((resolve, reject) => {
      opened.queue.push({ perform, resolve, reject });
      if (opened.queue.length === 1) queueMicrotask(() => flush(opened));
    });
  }

  #open(group: string): Group {
    const known = this.#groups.get(group);
    if (known !== undefined) {
      // The one used last is closed last.
      this.#groups.delete(group);
      this.#groups.set(group, known);
      return known;
    }
    for (const [name, oldest] of this.#groups) {
      if (this.#groups.size < mostOpen) break;
      flush(oldest);
      oldest.db.close();
      this.#groups.delete(name);
    }
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const db = openFile(this.#file(group));
    const opened = { db, statements: new Statements(db, this.#retention), queue: [] };
    this.#groups.set(group, opened);
    return opened;
  }

  #file(group: string): string {
    if (typeof group !== 'string' || group === '') throw new TypeError('the group must have a name');
    const safe = encodeURIComponent(group.toWellFormed());
    const name = safe.length <= 100 ? safe : `${safe.slice(0, 60)}-${createHash('sha256').update(group).digest('hex')}`;
    return join(this.#dir, `${name}.db`);
  }
}

/** Makes all changes that wait, in one transaction: all of them are kept, or none. */
function flush(group: Group): void {
  const { queue, db, statements } = group;
  if (queue.length === 0) return;
  group.queue = [];
  const done: (() => void)[] = [];
  try {
    db.exec('BEGIN IMMEDIATE');
    for (const { perform, resolve } of queue) {
      const value = perform(statements);
      done.push(() => resolve(value));
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    for (const { reject } of queue) reject(error);
    return;
  }
  for (const tell of done) tell();
}
