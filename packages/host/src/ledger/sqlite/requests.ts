import type { DatabaseSync } from 'node:sqlite';
import type { Delivery, Sent, StoredEvent } from '../store.ts';
import { type DeliveryStatements, joined, type Place } from './deliveries.ts';
import { type DeliveryRow, deliveryOf, type EventRow, eventOf } from './tables.ts';

/**
 * The statements about requests that deliveries ask for, and about where they go. Those that change something belong inside
 * a transaction of the writer's.
 */
export class RequestStatements {
  readonly #deliveries: DeliveryStatements;
  readonly #first;
  readonly #again;
  readonly #postpone;
  readonly #end;
  readonly #replay;
  readonly #arrived;
  readonly #lost;
  readonly #chance;
  readonly #revive;

  constructor(db: DatabaseSync, deliveries: DeliveryStatements) {
    this.#deliveries = deliveries;
    const unsent = `${joined} WHERE d.plugin = ? AND d.status = 'sending'`;
    this.#first = db.prepare(`${unsent} AND d.due_at IS NULL ORDER BY d.seq, d.n LIMIT ?`);
    this.#again = db.prepare(`${unsent} AND d.due_at <= ? ORDER BY d.due_at, d.seq, d.n LIMIT ?`);
    this.#postpone = db.prepare(`UPDATE deliveries SET attempts = ?, http_status = ?, message = ?, duration_ms = ?,
      due_at = ? WHERE seq = ? AND n = ? AND status = 'sending'`);
    this.#end = db.prepare(`UPDATE deliveries SET attempts = ?, http_status = ?, message = ?, duration_ms = ?,
      status = ?, settled_at = ?, due_at = NULL WHERE seq = ? AND n = ? AND status = 'sending' RETURNING plugin, handler`);
    this.#replay = db.prepare(`UPDATE deliveries SET status = 'sending', attempts = 0, due_at = NULL, settled_at = NULL,
      http_status = NULL, message = NULL, duration_ms = NULL, asked_at = ? WHERE seq = ? AND n = ? AND request IS NOT NULL
      RETURNING plugin, handler`);
    this.#arrived = db.prepare('DELETE FROM endpoints WHERE plugin = ? AND handler = ?');
    this.#lost = db.prepare(`INSERT INTO endpoints (plugin, handler, failures, last, message) VALUES (?, ?, 1, ?, ?)
      ON CONFLICT (plugin, handler)
      DO UPDATE SET failures = failures + 1, last = excluded.last, message = excluded.message
      RETURNING failures`);
    this.#chance = db.prepare('UPDATE endpoints SET disabled_at = ? WHERE plugin = ? AND handler = ?');
    this.#revive = db.prepare('DELETE FROM endpoints WHERE plugin = ? RETURNING disabled_at');
  }

  unsent(
    plugin: string,
    which: 'first' | 'again',
    now: string,
    limit: number,
  ): { delivery: Delivery; event: StoredEvent }[] {
    const rows = which === 'first' ? this.#first.all(plugin, limit) : this.#again.all(plugin, now, limit);
    return (rows as unknown as (DeliveryRow & EventRow)[]).map((row) => {
      return { delivery: deliveryOf(row, row), event: eventOf(row) };
    });
  }

  /** Whether it was being sent. */
  postpone(place: Place, sent: Sent, dueAt: string): boolean {
    const { changes } = this.#postpone.run(...toldOf(sent), dueAt, place.seq, place.n);
    if (changes === 0) this.#deliveries.read(place);
    return changes > 0;
  }

  /** Whether it was being sent. */
  end(place: Place, sent: Sent & { readonly status: 'ok' | 'warn' | 'failed' }, disableAfter: number | null): boolean {
    const now = new Date().toISOString();
    const whose = this.#end.get(...toldOf(sent), sent.status, now, place.seq, place.n) as Whose | undefined;
    if (whose === undefined) {
      this.#deliveries.read(place);
      return false;
    }
    const { plugin, handler } = whose;
    if (sent.status !== 'failed') this.#arrived.run(plugin, handler);
    else if (disableAfter !== null) {
      const { failures } = this.#lost.get(plugin, handler, now, sent.message ?? null) as { failures: number };
      if (failures >= disableAfter) this.#chance.run(now, plugin, handler);
    }
    return true;
  }

  /** Has its request sent again; undefined if it has none, or if there is no such delivery. */
  replay(place: Place): Delivery | undefined {
    const whose = this.#replay.get(new Date().toISOString(), place.seq, place.n) as Whose | undefined;
    if (whose === undefined) return undefined;
    // That it failed before is kept: one more failure disables it again.
    this.#chance.run(null, whose.plugin, whose.handler);
    return this.#deliveries.read(place);
  }

  /** How many of its endpoints were disabled. */
  revive(plugin: string): number {
    const rows = this.#revive.all(plugin) as { disabled_at: string | null }[];
    return rows.filter(({ disabled_at }) => disabled_at !== null).length;
  }
}

interface Whose {
  readonly plugin: string;
  readonly handler: string;
}

function toldOf({ attempts, http_status = null, message = null, duration_ms = null }: Sent) {
  return [attempts, http_status, message, duration_ms] as const;
}
