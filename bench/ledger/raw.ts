import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { AnyPayload, Owed } from '../../packages/host/src/ledger/store.ts';

type EventValues = [string, string, string, string | null, string | null, string | null, string | null, string, string];

/** The least that can be done: rows that are ready, put into the same tables, at the same durability. */
export function rawInserts(db: DatabaseSync, owes: readonly Owed[]) {
  db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000; PRAGMA foreign_keys = ON');
  const event = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const delivery = db.prepare(
    'INSERT INTO deliveries (seq, n, plugin, handler, awaited, plugin_version, plugin_digest) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const run = db.prepare(`INSERT INTO runs (run_id, status, head, created_at, updated_at) VALUES (?, 'active', ?, ?, ?)
    ON CONFLICT (run_id) DO UPDATE SET head = excluded.head, updated_at = excluded.updated_at`);
  let seq = 0;
  return {
    rowsOf: (payloads: readonly AnyPayload[]): EventValues[] =>
      payloads.map((payload) => {
        const { event_id, event, at, run_id, turn_id, role, phase } = payload;
        const hash = randomBytes(32).toString('hex');
        return [event_id, event, at, run_id, turn_id, role, phase, JSON.stringify(payload), hash];
      }),
    write: (rows: readonly EventValues[]) => {
      db.exec('BEGIN IMMEDIATE');
      for (const row of rows) {
        seq++;
        event.run(seq, ...row);
        run.run(row[3], seq, row[2], row[2]);
        let n = 0;
        for (const { plugin, handler } of owes) delivery.run(seq, ++n, plugin, handler, 0, null, null);
      }
      db.exec('COMMIT');
    },
  };
}

/** Fills an empty ledger with so many events whose deliveries have all been made. Their hashes are not true. */
export function fill(file: string, events: number, plugins: readonly string[]): void {
  const db = new DatabaseSync(file);
  try {
    db.exec(`
      PRAGMA synchronous = OFF;
      BEGIN;
      WITH RECURSIVE places (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM places WHERE seq < ${events})
      INSERT INTO events SELECT seq, printf('00000000-0000-7000-8000-%012d', seq), 'turn:rejected',
        strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + seq, 'unixepoch'), printf('run-%d', seq / 20), 'turn-2', 'developer',
        'implementation', printf('{"event":"turn:rejected","reason":"%0300d"}', seq), printf('%064d', seq) FROM places;
      UPDATE chain SET head_seq = ${events}, head_hash = printf('%064d', ${events});`);
    for (const [i, plugin] of plugins.entries()) {
      const made = `seq, ${i + 1}, '${plugin}', '${plugin}#1', 0, 'ok', 1, at`;
      db.exec(`INSERT INTO deliveries (seq, n, plugin, handler, awaited, status, attempts, settled_at)
        SELECT ${made} FROM events`);
    }
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}
