import type { DatabaseSync } from 'node:sqlite';

/** So many events go in one transaction: whoever wants to append is not kept waiting for long. */
const eventsAtOnce = 500;

/** Prepares to remove the oldest events, some at a time, inside a transaction. Gives how many went; 0: all are gone that may. */
export function pruning(db: DatabaseSync): (olderThan: string) => number {
  const anchor = db.prepare('SELECT anchor_seq FROM chain');
  // The first that stays among those whose turn it is.
  const stays = db.prepare(`SELECT e.seq FROM events e WHERE e.seq > ? AND e.seq <= ? AND (e.at >= ? OR EXISTS
    (SELECT 1 FROM deliveries d WHERE d.seq = e.seq AND d.status IN ('owed', 'sending')) OR EXISTS
    (SELECT 1 FROM runs r WHERE r.run_id = e.run_id AND r.status IN ('pending', 'active', 'waiting')))
    ORDER BY e.seq LIMIT 1`);
  const last = db.prepare('SELECT seq, hash FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1');
  const removeDeliveries = db.prepare('DELETE FROM deliveries WHERE seq <= ?');
  const removeEvents = db.prepare('DELETE FROM events WHERE seq <= ?');
  const move = db.prepare('UPDATE chain SET anchor_seq = ?, anchor_hash = ?');

  return (olderThan) => {
    const { anchor_seq: from } = anchor.get() as { anchor_seq: number };
    const upTo = from + eventsAtOnce;
    const first = stays.get(from, upTo, olderThan) as { seq: number } | undefined;
    const goes = last.get(first === undefined ? upTo : first.seq - 1) as { seq: number; hash: string } | undefined;
    if (goes === undefined) return 0;
    removeDeliveries.run(goes.seq);
    move.run(goes.seq, goes.hash);
    return Number(removeEvents.run(goes.seq).changes);
  };
}
