import { countIn, rowIn, type Steps, to } from './steps.ts';

/** So many events go in one transaction: whoever wants to append is not kept waiting for long. */
const eventsAtOnce = 500;

// The first that stays among those whose turn it is.
const stays = `SELECT e.seq FROM events e WHERE e.seq > ? AND e.seq <= ? AND (e.at >= ? OR EXISTS
  (SELECT 1 FROM deliveries d WHERE d.seq = e.seq AND d.status IN ('owed', 'sending')) OR EXISTS
  (SELECT 1 FROM runs r WHERE r.run_id = e.run_id AND r.status IN ('pending', 'active', 'waiting')))
  ORDER BY e.seq LIMIT 1`;
const last = 'SELECT seq, hash FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1';

/** Removes the oldest events, some at a time. Gives how many went; 0: all are gone that may. */
export function* pruneSome(olderThan: string): Steps<number> {
  const from = rowIn<{ anchor_seq: number }>(yield to('SELECT anchor_seq FROM chain'))?.anchor_seq ?? 0;
  const upTo = from + eventsAtOnce;
  const first = rowIn<{ seq: number }>(yield to(stays, from, upTo, olderThan));
  const goes = rowIn<{ seq: number; hash: string }>(yield to(last, first === undefined ? upTo : first.seq - 1));
  if (goes === undefined) return 0;
  yield to('DELETE FROM deliveries WHERE seq <= ?', goes.seq);
  yield to('UPDATE chain SET anchor_seq = ?, anchor_hash = ?', goes.seq, goes.hash);
  return countIn(yield to('DELETE FROM events WHERE seq <= ?', goes.seq));
}
