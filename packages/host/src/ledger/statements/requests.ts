import type { Delivery, Sent } from '../store.ts';
import { type JoinedRow, joined, type Owing, owingOf, readDelivery } from './deliveries.ts';
import type { Place } from './place.ts';
import { countIn, rowIn, rowsIn, type Steps, to } from './steps.ts';

/** Whose a delivery is. */
interface Whose {
  readonly plugin: string;
  readonly handler: string;
}

const unsent = `${joined} WHERE d.plugin = ? AND d.status = 'sending'`;
const first = `${unsent} AND d.due_at IS NULL ORDER BY d.seq, d.n LIMIT ?`;
const again = `${unsent} AND d.due_at <= ? ORDER BY d.due_at, d.seq, d.n LIMIT ?`;
const postpone = `UPDATE deliveries SET attempts = ?, http_status = ?, message = ?, duration_ms = ?,
  due_at = ? WHERE seq = ? AND n = ? AND status = 'sending'`;
const end = `UPDATE deliveries SET attempts = ?, http_status = ?, message = ?, duration_ms = ?,
  status = ?, settled_at = ?, due_at = NULL WHERE seq = ? AND n = ? AND status = 'sending' RETURNING plugin, handler`;
const replay = `UPDATE deliveries SET status = 'sending', attempts = 0, due_at = NULL, settled_at = NULL,
  http_status = NULL, message = NULL, duration_ms = NULL, asked_at = ? WHERE seq = ? AND n = ? AND request IS NOT NULL
  RETURNING plugin, handler`;
const arrived = 'DELETE FROM endpoints WHERE plugin = ? AND handler = ?';
const lost = `INSERT INTO endpoints (plugin, handler, failures, last, message) VALUES (?, ?, 1, ?, ?)
  ON CONFLICT (plugin, handler)
  DO UPDATE SET failures = endpoints.failures + 1, last = excluded.last, message = excluded.message
  RETURNING failures`;
const chance = 'UPDATE endpoints SET disabled_at = ? WHERE plugin = ? AND handler = ?';
const revive = 'DELETE FROM endpoints WHERE plugin = ? RETURNING disabled_at';

/** The requests of a plugin that are to be sent. See `LedgerStore.unsent`. */
export function* readUnsent(plugin: string, which: 'first' | 'again', now: string, limit: number): Steps<Owing[]> {
  const rows =
    which === 'first'
      ? rowsIn<JoinedRow>(yield to(first, plugin, limit))
      : rowsIn<JoinedRow>(yield to(again, plugin, now, limit));
  return rows.map(owingOf);
}

/** Whether it was being sent. Throws `DELIVERY_UNKNOWN`. */
export function* postponeRequest(place: Place, sent: Sent, dueAt: string): Steps<boolean> {
  const changes = countIn(yield to(postpone, ...toldOf(sent), dueAt, place.seq, place.n));
  if (changes === 0) yield* readDelivery(place);
  return changes > 0;
}

/** Whether it was being sent. Throws `DELIVERY_UNKNOWN`. */
export function* endRequest(
  place: Place,
  sent: Sent & { readonly status: 'ok' | 'warn' | 'failed' },
  disableAfter: number | null,
): Steps<boolean> {
  const now = new Date().toISOString();
  const whose = rowIn<Whose>(yield to(end, ...toldOf(sent), sent.status, now, place.seq, place.n));
  if (whose === undefined) {
    yield* readDelivery(place);
    return false;
  }
  const { plugin, handler } = whose;
  if (sent.status !== 'failed') yield to(arrived, plugin, handler);
  else if (disableAfter !== null) {
    const row = rowIn<{ failures: number }>(yield to(lost, plugin, handler, now, sent.message ?? null));
    if (row !== undefined && row.failures >= disableAfter) yield to(chance, now, plugin, handler);
  }
  return true;
}

/** Has its request sent again; undefined if it has none, or if there is no such delivery. */
export function* replayRequest(place: Place): Steps<Delivery | undefined> {
  const whose = rowIn<Whose>(yield to(replay, new Date().toISOString(), place.seq, place.n));
  if (whose === undefined) return undefined;
  // That it failed before is kept: one more failure disables it again.
  yield to(chance, null, whose.plugin, whose.handler);
  return yield* readDelivery(place);
}

/** Lets requests be sent to all endpoints of a plugin. Gives how many were disabled. */
export function* reviveEndpoints(plugin: string): Steps<number> {
  const rows = rowsIn<{ disabled_at: string | null }>(yield to(revive, plugin));
  return rows.filter(({ disabled_at }) => disabled_at !== null).length;
}

function toldOf({ attempts, http_status = null, message = null, duration_ms = null }: Sent) {
  return [attempts, http_status, message, duration_ms] as const;
}
