import type { DatabaseSync } from 'node:sqlite';
import type { Draft } from '../draft.ts';
import type { Appended, Delivery, Owed } from '../store.ts';
import { type Head, hashOf } from './chain.ts';
import type { RunStatements } from './runs.ts';
import { type DeliveryRow, deliveryOf, type EventRow, eventOf } from './tables.ts';

/** What is known of a delivery that was never tried. */
const untried = {
  status: 'owed',
  attempts: 0,
  due_at: null,
  settled_at: null,
  exit_code: null,
  signal: null,
  http_status: null,
  verdict: null,
  message: null,
  annotations: null,
  duration_ms: null,
  request: null,
  asked_at: null,
} as const;

/** Prepares to append events with what they owe, inside a transaction of the writer's. */
export function appending(
  db: DatabaseSync,
  head: Head,
  runs: RunStatements,
): (draft: Draft, owes: readonly Owed[], after: number | undefined) => Appended {
  const insertEvent = db.prepare(
    'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const insertDelivery = db.prepare(
    'INSERT INTO deliveries (seq, n, plugin, handler, awaited, plugin_version, plugin_digest) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const eventWithId = db.prepare('SELECT * FROM events WHERE id = ?');
  const deliveriesOfEvent = db.prepare('SELECT * FROM deliveries WHERE seq = ? ORDER BY n');

  const known = (id: string): Appended => {
    const event = eventWithId.get(id) as unknown as EventRow;
    const deliveries = deliveriesOfEvent.all(event.seq) as unknown as DeliveryRow[];
    return { event: eventOf(event), deliveries: deliveries.map((row) => deliveryOf(row, event)), known: true };
  };

  const owe = (event: EventRow, n: number, owed: Owed): Delivery => {
    const { plugin, handler, version = null, digest = null } = owed;
    const awaited = owed.awaited === true ? 1 : 0;
    insertDelivery.run(event.seq, n, plugin, handler, awaited, version, digest);
    return {
      id: `${event.seq}.${n}`,
      key: `${event.id}.${n}`,
      event_id: event.id,
      event: event.type,
      seq: event.seq,
      run_id: event.run_id,
      plugin,
      handler,
      awaited: awaited === 1,
      ...untried,
      plugin_version: version,
      plugin_digest: digest,
    };
  };

  return (draft, owes, after) => {
    const { id, type, at, run_id, turn_id, role, phase, payload } = draft;
    if (after !== undefined && run_id !== null && eventWithId.get(id) === undefined) runs.expect(run_id, after);
    const seq = head.seq + 1;
    const kept = { seq, id, type, at, run_id, turn_id, role, phase, payload };
    const hash = hashOf(head.hash, kept);
    const { changes } = insertEvent.run(seq, id, type, at, run_id, turn_id, role, phase, payload, hash);
    if (changes === 0) return known(id);
    head.moveTo(seq, hash);
    runs.step(draft, seq);
    const event: EventRow = { ...kept, hash };
    return { event: eventOf(event), deliveries: owes.map((owed, i) => owe(event, i + 1, owed)), known: false };
  };
}
