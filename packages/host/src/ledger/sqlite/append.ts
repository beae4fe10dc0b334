import type { DatabaseSync } from 'node:sqlite';
import { hashOf } from '../chain.ts';
import type { Draft } from '../draft.ts';
import { type DeliveryRow, deliveryOf, type EventRow, eventOf, owedDelivery } from '../rows.ts';
import { isStep, statusAfter } from '../run-status.ts';
import { mustStandAt } from '../statements/runs.ts';
import type { Append } from '../storage.ts';
import type { Appended, Delivery, Owed } from '../store.ts';
import type { Head } from './head.ts';

/** Prepares to append events with what they owe, inside a transaction of the writer's. */
export function appending(db: DatabaseSync, head: Head): (append: Append) => Appended {
  const insertEvent = db.prepare(
    'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const insertDelivery = db.prepare(
    `INSERT INTO deliveries (seq, n, plugin, handler, awaited, due_at, plugin_version, plugin_digest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const eventWithId = db.prepare('SELECT * FROM events WHERE id = ?');
  const headOfRun = db.prepare('SELECT head FROM runs WHERE run_id = ?');
  const stepOfRun = db.prepare(`INSERT INTO runs (run_id, status, template, goal, head, created_at, updated_at)
    VALUES (?, coalesce(?, 'active'), ?, ?, ?, ?, ?) ON CONFLICT (run_id)
    DO UPDATE SET status = coalesce(?, status), head = excluded.head, updated_at = excluded.updated_at`);
  const deliveriesOfEvent = db.prepare('SELECT * FROM deliveries WHERE seq = ? ORDER BY n');

  const known = (id: string): Appended => {
    const event = eventWithId.get(id) as unknown as EventRow;
    const deliveries = deliveriesOfEvent.all(event.seq) as unknown as DeliveryRow[];
    return { event: eventOf(event), deliveries: deliveries.map((row) => deliveryOf(row, event)), known: true };
  };

  const owe = (event: EventRow, n: number, owed: Owed): Delivery => {
    const delivery = owedDelivery(event, n, owed);
    const { plugin, handler, awaited, due_at, plugin_version, plugin_digest } = delivery;
    insertDelivery.run(event.seq, n, plugin, handler, awaited ? 1 : 0, due_at, plugin_version, plugin_digest);
    return delivery;
  };

  const placeOf = (event: number | string) =>
    typeof event === 'number' ? event : (eventWithId.get(event) as { seq: number } | undefined)?.seq;

  const expect = (run: string, known: number | string): void => {
    const { head: found } = (headOfRun.get(run) ?? { head: 0 }) as { head: number };
    mustStandAt(run, placeOf(known), found);
  };

  const step = ({ type, run_id, at, template, goal }: Draft, seq: number): void => {
    if (run_id === null || !isStep(type)) return;
    const status = statusAfter[type] ?? null;
    stepOfRun.run(run_id, status, template, goal, seq, at, at, status);
  };

  return ({ draft, owes, after }) => {
    const { id, type, at, run_id, turn_id, role, phase, payload } = draft;
    if (after !== undefined && run_id !== null && eventWithId.get(id) === undefined) expect(run_id, after);
    const seq = head.seq + 1;
    const hash = hashOf(head.hash, seq, draft);
    const { changes } = insertEvent.run(seq, id, type, at, run_id, turn_id, role, phase, payload, hash);
    if (changes === 0) return known(id);
    head.moveTo(seq, hash);
    step(draft, seq);
    const event: EventRow = { seq, id, type, at, run_id, turn_id, role, phase, payload, hash };
    return { event: eventOf(event), deliveries: owes.map((owed, i) => owe(event, i + 1, owed)), known: false };
  };
}
