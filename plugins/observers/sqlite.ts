import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Observer } from 'patchbay-sdk';

/** How events are kept. */
export interface SqliteSettings {
  /** The file, in the folder of the project. @default .patchbay/events.sqlite */
  readonly file?: string | undefined;
  /** Older ones are removed. @default none are */
  readonly days?: number | undefined;
  /** Of more than these, the oldest are removed. @default none are */
  readonly maxEvents?: number | undefined;
}

/** For so long events are gathered before they are written. */
const gatherMs = 200;
const mostGathered = 500;
/** So many batches are written before it is looked what is too old. */
const batchesPerSweep = 50;

/** Keeps all events in a file of their own, for whoever wants to ask questions in SQL. */
export function sqliteObserver(project: string, settings: SqliteSettings): Observer {
  const { file = '.patchbay/events.sqlite' } = settings;
  let database: DatabaseSync | undefined;
  let gathered: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let batches = 0;
  const undo: (() => void)[] = [];

  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (database === undefined || gathered.length === 0) return;
    // One statement for all of them, and the same event twice is one.
    database
      .prepare(
        `INSERT OR IGNORE INTO events (id, at, type, run_id, chat_jid, payload)
         SELECT value ->> 'event_id', value ->> 'at', value ->> 'event', value ->> 'run_id', value ->> 'chat_jid', value
         FROM json_each(?)`,
      )
      .run(`[${gathered.join(',')}]`);
    gathered = [];
    if (batches++ % batchesPerSweep === 0) sweep(database, settings);
  };

  return {
    name: 'sqlite',
    subscribe: (bus) => {
      const path = join(project, file);
      mkdirSync(join(path, '..'), { recursive: true });
      database = new DatabaseSync(path);
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS events (
          id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, type TEXT NOT NULL, run_id TEXT, chat_jid TEXT, payload TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS events_by_type ON events (type, at);
        CREATE INDEX IF NOT EXISTS events_by_time ON events (at);`);
      const unsubscribe = bus.subscribe('*', (event) => {
        gathered.push(JSON.stringify(event));
        if (gathered.length >= mostGathered) write();
        else timer ??= setTimeout(write, gatherMs);
      });
      undo.push(unsubscribe);
    },
    close: async () => {
      for (const off of undo.splice(0)) off();
      write();
      if (database !== undefined) sweep(database, settings);
      database?.close();
      database = undefined;
    },
  };
}

function sweep(database: DatabaseSync, { days, maxEvents }: SqliteSettings): void {
  if (days !== undefined) {
    const before = new Date(Date.now() - days * 86_400_000).toISOString();
    database.prepare('DELETE FROM events WHERE at < ?').run(before);
  }
  if (maxEvents !== undefined) {
    database
      .prepare('DELETE FROM events WHERE rowid <= (SELECT rowid FROM events ORDER BY rowid DESC LIMIT 1 OFFSET ?)')
      .run(maxEvents);
  }
}
