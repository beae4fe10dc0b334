import type { DatabaseSync } from 'node:sqlite';
import { PatchbayError } from 'patchbay-sdk';
import type { Delivery, DeliveryStatus, Settlement, StoredEvent } from '../store.ts';
import { type DeliveryRow, deliveryOf, type EventRow, eventOf } from './tables.ts';

/** The place of a delivery: its event's, and its number among what that event owes. */
export interface Place {
  readonly seq: number;
  readonly n: number;
}

/** The place that an id says. Throws `DELIVERY_UNKNOWN` if it says none. */
export function placeOf(id: string): Place {
  const [, seq, n] = /^(\d{1,15})\.(\d{1,9})$/.exec(id) ?? [];
  if (seq === undefined || n === undefined) throw unknown(id);
  return { seq: Number(seq), n: Number(n) };
}

function unknown(id: string): PatchbayError {
  return new PatchbayError('DELIVERY_UNKNOWN', `there is no delivery ${id}`);
}

/** Selects deliveries with all of their events. */
export const joined = `SELECT d.*, e.id, e.type, e.at, e.run_id, e.turn_id, e.role, e.phase, e.payload, e.hash
  FROM deliveries d JOIN events e ON e.seq = d.seq`;

/** Did its handler come to an answer, or fail? The others say nothing about the handler. */
const says: Partial<Record<DeliveryStatus, 'works' | 'fails'>> = {
  ok: 'works',
  sending: 'works',
  warn: 'works',
  refused: 'works',
  failed: 'fails',
};

/** The statements about single deliveries. Those that change something belong inside a transaction of the writer's. */
export class DeliveryStatements {
  readonly #one;
  readonly #owed;
  readonly #ahead;
  readonly #settle;
  readonly #replay;
  readonly #cancel;
  readonly #whose;
  readonly #works;
  readonly #fails;
  readonly #forget;

  constructor(db: DatabaseSync) {
    this.#one = db.prepare(`${joined} WHERE d.seq = ? AND d.n = ?`);
    this.#owed = db.prepare(`${joined} WHERE d.plugin = ? AND d.status = 'owed' AND (d.seq, d.n) > (?, ?)
      AND (d.due_at IS NULL OR d.due_at <= ?) ORDER BY d.seq, d.n LIMIT ?`);
    this.#ahead = db.prepare(
      "SELECT seq || '.' || n AS id, plugin FROM deliveries WHERE seq = ? AND n < ? AND status = 'owed' ORDER BY n",
    );
    this.#settle = db.prepare(`UPDATE deliveries SET status = ?, attempts = coalesce(?, attempts), due_at = NULL,
      settled_at = ?, exit_code = ?, signal = ?, http_status = ?, verdict = ?, message = ?, annotations = ?,
      duration_ms = ?, request = ?, asked_at = ? WHERE seq = ? AND n = ? AND status = 'owed'`);
    this.#replay = db.prepare(`UPDATE deliveries SET status = 'owed', attempts = 0, due_at = NULL, settled_at = NULL,
      exit_code = NULL, signal = NULL, http_status = NULL, verdict = NULL, message = NULL, annotations = NULL,
      duration_ms = NULL, request = NULL, asked_at = NULL WHERE seq = ? AND n = ?`);
    this.#cancel = db.prepare(`UPDATE deliveries SET status = 'cancelled', due_at = NULL, settled_at = ?, message = ?
      WHERE plugin = ? AND status IN ('owed', 'sending')`);
    this.#whose = db.prepare('SELECT plugin FROM deliveries WHERE seq = ? AND n = ?');
    // From the side of `failing`, in which there is hardly ever anything.
    this.#works = db.prepare(`DELETE FROM failing WHERE EXISTS (SELECT 1 FROM deliveries d
      WHERE d.seq = ? AND d.n = ? AND d.plugin = failing.plugin AND d.handler = failing.handler)`);
    this.#fails =
      db.prepare(`INSERT INTO failing SELECT plugin, handler, 1, ?, ? FROM deliveries WHERE seq = ? AND n = ?
      ON CONFLICT (plugin, handler)
      DO UPDATE SET failures = failures + 1, last = excluded.last, message = excluded.message`);
    this.#forget = db.prepare('DELETE FROM failing WHERE plugin = ?');
  }

  /** Throws `DELIVERY_UNKNOWN`. */
  read({ seq, n }: Place): Delivery {
    const row = this.#one.get(seq, n) as unknown as (DeliveryRow & EventRow) | undefined;
    if (row === undefined) throw unknown(`${seq}.${n}`);
    return deliveryOf(row, row);
  }

  owed(plugin: string, after: Place, now: string, limit: number): { delivery: Delivery; event: StoredEvent }[] {
    const rows = this.#owed.all(plugin, after.seq, after.n, now, limit) as unknown as (DeliveryRow & EventRow)[];
    return rows.map((row) => ({ delivery: deliveryOf(row, row), event: eventOf(row) }));
  }

  /** Those of the same event before this one that are owed. */
  ahead({ seq, n }: Place): { id: string; plugin: string }[] {
    return this.#ahead.all(seq, n) as { id: string; plugin: string }[];
  }

  /** Whose it is. Throws `DELIVERY_UNKNOWN`. */
  pluginOf({ seq, n }: Place): string {
    const row = this.#whose.get(seq, n) as { plugin: string } | undefined;
    if (row === undefined) throw unknown(`${seq}.${n}`);
    return row.plugin;
  }

  /** Whether it was owed. */
  settle(
    { seq, n }: Place,
    settlement: Settlement,
    annotations: string | null,
    request: string | null,
    now: string,
  ): boolean {
    const { status, attempts = null, exit_code = null, signal = null, http_status = null } = settlement;
    const { verdict = null, message = null, duration_ms = null } = settlement;
    const [settledAt, askedAt] = status === 'sending' ? [null, now] : [now, null];
    const told = [exit_code, signal, http_status, verdict, message, annotations, duration_ms, request] as const;
    // Without RETURNING: that takes longer than the whole change.
    const { changes } = this.#settle.run(status, attempts, settledAt, ...told, askedAt, seq, n);
    if (changes === 0) return false;
    if (says[status] === 'works') this.#works.run(seq, n);
    if (says[status] === 'fails') this.#fails.run(now, message, seq, n);
    return true;
  }

  replay(place: Place): Delivery {
    this.#replay.run(place.seq, place.n);
    return this.read(place);
  }

  /** How many it was. */
  cancel(plugin: string, reason: string): number {
    const { changes } = this.#cancel.run(new Date().toISOString(), reason, plugin);
    this.#forget.run(plugin);
    return Number(changes);
  }
}
