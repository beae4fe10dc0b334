import { type DeliveryRow, deliveryOf, type EventRow, eventOf } from '../rows.ts';
import type { Delivery, DeliveryStatus, Settlement, StoredEvent } from '../store.ts';
import { type Place, unknownDelivery } from './place.ts';
import { countIn, rowIn, rowsIn, type Statement, type Steps, to } from './steps.ts';

/** A delivery beside its event. */
export interface Owing {
  readonly delivery: Delivery;
  readonly event: StoredEvent;
}

/** A row of both. */
export type JoinedRow = DeliveryRow & EventRow;

/** Selects deliveries with all of their events. */
export const joined = `SELECT d.*, e.id, e.type, e.at, e.run_id, e.turn_id, e.role, e.phase, e.payload, e.hash
  FROM deliveries d JOIN events e ON e.seq = d.seq`;

const one = `${joined} WHERE d.seq = ? AND d.n = ?`;
const owed = `${joined} WHERE d.plugin = ? AND d.status = 'owed' AND (d.seq, d.n) > (?, ?)
  AND (d.due_at IS NULL OR d.due_at <= ?) ORDER BY d.seq, d.n LIMIT ?`;
const ahead =
  "SELECT seq || '.' || n AS id, plugin FROM deliveries WHERE seq = ? AND n < ? AND status = 'owed' ORDER BY n";
// Without RETURNING: in SQLite that takes longer than the whole change.
const settle = `UPDATE deliveries SET status = ?, attempts = coalesce(?, attempts), due_at = NULL,
  settled_at = ?, exit_code = ?, signal = ?, http_status = ?, verdict = ?, message = ?, annotations = ?,
  duration_ms = ?, request = ?, asked_at = ? WHERE seq = ? AND n = ? AND status = 'owed'`;
const replay = `UPDATE deliveries SET status = 'owed', attempts = 0, due_at = ?, settled_at = NULL,
  exit_code = NULL, signal = NULL, http_status = NULL, verdict = NULL, message = NULL, annotations = NULL,
  duration_ms = NULL, request = NULL, asked_at = NULL WHERE seq = ? AND n = ?`;
const lease = `${replay} AND status = ? AND due_at IS NOT DISTINCT FROM ?`;
const cancel = `UPDATE deliveries SET status = 'cancelled', due_at = NULL, settled_at = ?, message = ?
  WHERE plugin = ? AND status IN ('owed', 'sending')`;
const whose = 'SELECT plugin FROM deliveries WHERE seq = ? AND n = ?';
// From the side of `failing`, in which there is hardly ever anything.
const works = `DELETE FROM failing WHERE EXISTS (SELECT 1 FROM deliveries d
  WHERE d.seq = ? AND d.n = ? AND d.plugin = failing.plugin AND d.handler = failing.handler)`;
const fails = `INSERT INTO failing (plugin, handler, failures, last, message)
  SELECT plugin, handler, 1, ?, ? FROM deliveries WHERE seq = ? AND n = ? ON CONFLICT (plugin, handler)
  DO UPDATE SET failures = failing.failures + 1, last = excluded.last, message = excluded.message`;
const anyFailing = 'SELECT 1 FROM failing LIMIT 1';
const forget = 'DELETE FROM failing WHERE plugin = ?';

/** Did its handler come to an answer, or fail? The others say nothing about the handler. */
const says: Partial<Record<DeliveryStatus, 'works' | 'fails'>> = {
  ok: 'works',
  sending: 'works',
  warn: 'works',
  refused: 'works',
  failed: 'fails',
};

/** Throws `DELIVERY_UNKNOWN`. */
export function* readDelivery({ seq, n }: Place): Steps<Delivery> {
  const row = rowIn<JoinedRow>(yield to(one, seq, n));
  if (row === undefined) throw unknownDelivery(`${seq}.${n}`);
  return deliveryOf(row, row);
}

/** Whose it is. Throws `DELIVERY_UNKNOWN`. */
export function* readPlugin({ seq, n }: Place): Steps<string> {
  const row = rowIn<{ plugin: string }>(yield to(whose, seq, n));
  if (row === undefined) throw unknownDelivery(`${seq}.${n}`);
  return row.plugin;
}

/** What a plugin is owed and due. */
export function* readOwed(plugin: string, after: Place, now: string, limit: number): Steps<Owing[]> {
  return rowsIn<JoinedRow>(yield to(owed, plugin, after.seq, after.n, now, limit)).map(owingOf);
}

/** The delivery and the event of a row of both. */
export function owingOf(row: JoinedRow): Owing {
  return { delivery: deliveryOf(row, row), event: eventOf(row) };
}

/** Those of the same event before this one that are owed. */
export function* readAhead({ seq, n }: Place): Steps<readonly { readonly id: string; readonly plugin: string }[]> {
  return rowsIn(yield to(ahead, seq, n));
}

/** What is to be written of a delivery. */
export interface Settling {
  readonly place: Place;
  readonly settlement: Settlement;
  /** As text. */
  readonly annotations: string | null;
  readonly request: string | null;
}

/** Gives which of them were owed: only those are settled. */
export function* settleEach(all: readonly Settling[], now: string): Steps<readonly boolean[]> {
  const answers = yield all.map((one) => settling(one, now));
  const isSettled = answers.map(({ count }) => count > 0);
  const settled = all.filter((_, i) => isSettled[i]);
  // Of many that work there is most often nothing to note. One alone does not ask: between its steps others may say that they fail.
  const mayAsk = all.length > 1 && settled.every(({ settlement: { status } }) => says[status] !== 'fails');
  if (mayAsk && rowIn(yield to(anyFailing)) === undefined) return isSettled;
  const notes = settled.flatMap((one) => noting(one, now) ?? []);
  if (notes.length > 0) yield notes;
  return isSettled;
}

function settling({ place: { seq, n }, settlement, annotations, request }: Settling, now: string): Statement {
  const { status, attempts = null, exit_code = null, signal = null, http_status = null } = settlement;
  const { verdict = null, message = null, duration_ms = null } = settlement;
  const [settledAt, askedAt] = status === 'sending' ? [null, now] : [now, null];
  const told = [exit_code, signal, http_status, verdict, message, annotations, duration_ms, request];
  return { text: settle, values: [status, attempts, settledAt, ...told, askedAt, seq, n] };
}

/** Notes whether its handler works. */
function noting({ place: { seq, n }, settlement }: Settling, now: string): Statement | undefined {
  const { status, message = null } = settlement;
  if (says[status] === 'works') return { text: works, values: [seq, n] };
  return says[status] === 'fails' ? { text: fails, values: [now, message, seq, n] } : undefined;
}

/** Makes it owed again. Throws `DELIVERY_UNKNOWN`. */
export function* replayDelivery(place: Place): Steps<Delivery> {
  yield to(replay, null, place.seq, place.n);
  return yield* readDelivery(place);
}

/** Makes it owed from a time on, if it is as given. Whether it was. */
export function* leaseDelivery(
  { seq, n }: Place,
  { status, due_at }: Pick<Delivery, 'status' | 'due_at'>,
  until: string,
): Steps<boolean> {
  return countIn(yield to(lease, until, seq, n, status, due_at)) > 0;
}

/** Cancels all that a plugin is owed. Gives how many it was. */
export function* cancelDeliveries(plugin: string, reason: string): Steps<number> {
  const cancelled = countIn(yield to(cancel, new Date().toISOString(), reason, plugin));
  yield to(forget, plugin);
  return cancelled;
}
