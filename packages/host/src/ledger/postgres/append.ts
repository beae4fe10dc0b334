import { hashOf } from '../chain.ts';
import type { Draft } from '../draft.ts';
import { type DeliveryRow, deliveryOf, type EventRow, eventOf, owedDelivery } from '../rows.ts';
import { isStep, type RunStatus, statusAfter } from '../run-status.ts';
import { mustStandAt } from '../statements/runs.ts';
import type { Append } from '../storage.ts';
import type { Appended, Delivery } from '../store.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Asked, Session } from './session.ts';

/** The end of the chain, which is locked while it is known. */
export interface Head {
  readonly head_seq: number;
  readonly head_hash: string;
}

/** What the steps of a run come to. */
interface Standing {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly head: number;
  readonly template: string | null;
  readonly goal: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const insert = {
  name: 'append',
  text: `
  WITH inserted AS (
    INSERT INTO events (seq, id, type, at, run_id, turn_id, role, phase, payload, hash, chat)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[], $9::text[], $10::text[], $11::text[])
  ), owed AS (
    INSERT INTO deliveries (seq, n, plugin, handler, awaited, due_at, plugin_version, plugin_digest)
    SELECT * FROM unnest($12::bigint[], $13::bigint[], $14::text[], $15::text[], $16::bigint[], $17::text[], $18::text[],
      $19::text[])
  ), moved AS (
    INSERT INTO runs (run_id, status, head, template, goal, created_at, updated_at)
    SELECT run_id, status, head, template, goal, created_at, updated_at
    FROM unnest($20::text[], $21::text[], $22::bigint[], $23::text[], $24::text[], $25::text[], $26::text[])
      WITH ORDINALITY AS run (run_id, status, head, template, goal, created_at, updated_at, place) ORDER BY place
    ON CONFLICT (run_id)
    DO UPDATE SET status = excluded.status, head = excluded.head, updated_at = excluded.updated_at
  )
  UPDATE chain SET head_seq = $27, head_hash = $28`,
};
const eventsOf = { name: 'known_events', text: 'SELECT * FROM events WHERE id = ANY ($1)' };
const deliveriesOf = {
  name: 'known_deliveries',
  text: 'SELECT * FROM deliveries WHERE seq = ANY ($1) ORDER BY seq, n',
};
const runsOf = { name: 'known_runs', text: 'SELECT * FROM runs WHERE run_id = ANY ($1)' };

/** What is there already of events that are to be appended, and where their runs stand. */
export type Found = readonly [known: Map<string, Appended>, standings: Map<string, Standing>];

/** Looks it up, on a session that has locked the chain, or was asked to. */
export function lookUp(session: Session, appends: readonly Append[]): Promise<Found> {
  return Promise.all([knownOf(session, appends), standingsOf(session, appends)]);
}

/** Events that go to the end of the chain: what becomes of each, the new end, and the statement that puts them there. */
export interface Appending {
  readonly outcomes: readonly Outcome[];
  readonly head: Head;
  /** None if there is nothing to put there. */
  readonly insert: Asked | undefined;
}

/**
 * Makes up how events are appended with what they owe, in a transaction that has locked the chain and found its end. One
 * statement, however many events: each would be a journey to the server and back.
 */
export async function appending(head: Head, appends: readonly Append[], [known, standings]: Found): Promise<Appending> {
  const batch = new Batch(head, known, standings);
  const outcomes: Outcome[] = [];
  for (const append of appends) outcomes.push(await outcomeOf(() => batch.add(append)));
  const isSame = batch.head === head;
  return { outcomes, head: batch.head, insert: isSame ? undefined : { ...insert, values: batch.values() } };
}

/** Those of the events that are there already, and those that they come after, by id. */
async function knownOf(session: Session, appends: readonly Append[]): Promise<Map<string, Appended>> {
  const ids = appends.flatMap(({ draft, after }) => (typeof after === 'string' ? [draft.id, after] : [draft.id]));
  const events = (await session.make({ ...eventsOf, values: [ids] })).rows as EventRow[];
  if (events.length === 0) return new Map();
  const places = events.map(({ seq }) => seq);
  const { rows } = await session.make({ ...deliveriesOf, values: [places] });
  const ofEvent = Map.groupBy(rows as DeliveryRow[], ({ seq }) => seq);
  const appended = (event: EventRow): Appended => {
    const deliveries = (ofEvent.get(event.seq) ?? []).map((row) => deliveryOf(row, event));
    return { event: eventOf(event), deliveries, known: true };
  };
  return new Map(events.map((event) => [event.id, appended(event)]));
}

/** Where the runs stand that events want to move, by id. */
async function standingsOf(session: Session, appends: readonly Append[]): Promise<Map<string, Standing>> {
  const runs = new Set<string>();
  for (const { draft, after } of appends) {
    if (draft.run_id !== null && (after !== undefined || isStep(draft.type))) runs.add(draft.run_id);
  }
  if (runs.size === 0) return new Map();
  const { rows } = await session.make({ ...runsOf, values: [[...runs]] });
  return new Map((rows as Standing[]).map((row) => [row.run_id, row]));
}

/** Events that are to be inserted together, as if one had come after the other. */
class Batch {
  readonly #known: Map<string, Appended>;
  readonly #standings: Map<string, Standing>;
  readonly #events: (EventRow & Pick<Draft, 'chat'>)[] = [];
  readonly #deliveries: { readonly n: number; readonly delivery: Delivery }[] = [];
  readonly #moved = new Set<string>();
  #head: Head;

  constructor(head: Head, known: Map<string, Appended>, standings: Map<string, Standing>) {
    this.#head = head;
    this.#known = known;
    this.#standings = standings;
  }

  get head(): Head {
    return this.#head;
  }

  /** Throws `RUN_MOVED`. */
  add({ draft, owes, after }: Append): Appended {
    const { id, type, at, run_id, turn_id, role, phase, payload, chat } = draft;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (after !== undefined && run_id !== null) {
      const place = typeof after === 'number' ? after : this.#known.get(after)?.event.seq;
      mustStandAt(run_id, place, this.#standings.get(run_id)?.head ?? 0);
    }
    const seq = this.#head.head_seq + 1;
    const kept = { seq, id, type, at, run_id, turn_id, role, phase, payload };
    const event: EventRow = { ...kept, hash: hashOf(this.#head.head_hash, kept.seq, kept) };
    const deliveries = owes.map((owed, i) => owedDelivery(event, i + 1, owed));
    this.#head = { head_seq: seq, head_hash: event.hash };
    this.#events.push({ ...event, chat });
    for (const [i, delivery] of deliveries.entries()) this.#deliveries.push({ n: i + 1, delivery });
    this.#step(draft, seq);
    const appended = { event: eventOf(event), deliveries, known: false };
    this.#known.set(id, { ...appended, known: true });
    return appended;
  }

  #step({ type, run_id, at, template, goal }: Draft, seq: number): void {
    if (run_id === null || !isStep(type)) return;
    const before = this.#standings.get(run_id) ?? { run_id, status: 'active', template, goal, created_at: at };
    const status = statusAfter[type] ?? before.status;
    this.#standings.set(run_id, { ...before, status, head: seq, updated_at: at });
    this.#moved.add(run_id);
  }

  /** In the order of the statement. */
  values(): unknown[] {
    const events = this.#events;
    const owed = this.#deliveries;
    const runs = [...this.#moved].flatMap((id) => this.#standings.get(id) ?? []);
    return [
      ...(['seq', 'id', 'type', 'at', 'run_id', 'turn_id', 'role', 'phase', 'payload', 'hash', 'chat'] as const).map(
        (column) => events.map((event) => event[column]),
      ),
      owed.map(({ delivery }) => delivery.seq),
      owed.map(({ n }) => n),
      owed.map(({ delivery }) => delivery.plugin),
      owed.map(({ delivery }) => delivery.handler),
      owed.map(({ delivery }) => (delivery.awaited ? 1 : 0)),
      owed.map(({ delivery }) => delivery.due_at),
      owed.map(({ delivery }) => delivery.plugin_version),
      owed.map(({ delivery }) => delivery.plugin_digest),
      ...(['run_id', 'status', 'head', 'template', 'goal', 'created_at', 'updated_at'] as const).map((column) =>
        runs.map((run) => run[column]),
      ),
      this.#head.head_seq,
      this.#head.head_hash,
    ];
  }
}
