import type { EventName } from 'patchbay-sdk';
import type { AnyPayload, Delivery, DeliveryStatus, Endpoint, Failing, Owed, RunRow, StoredEvent } from './store.ts';

/** A row of `events`. */
export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly type: EventName;
  readonly at: string;
  readonly run_id: string | null;
  readonly turn_id: string | null;
  readonly role: string | null;
  readonly phase: string | null;
  readonly payload: string;
  readonly hash: string;
}

/** A row of `deliveries`. */
export interface DeliveryRow {
  readonly seq: number;
  readonly n: number;
  readonly plugin: string;
  readonly handler: string;
  readonly awaited: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly due_at: string | null;
  readonly settled_at: string | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly http_status: number | null;
  readonly verdict: string | null;
  readonly message: string | null;
  readonly annotations: string | null;
  readonly duration_ms: number | null;
  readonly plugin_version: string | null;
  readonly plugin_digest: string | null;
  readonly request: string | null;
  readonly asked_at: string | null;
}

/** A row of `runs`. */
export interface RunTableRow extends Omit<RunRow, 'request'> {
  readonly n: number;
  readonly request: string | null;
}

/** The tables that are read with built queries. */
export interface Tables {
  readonly runs: RunTableRow;
  readonly events: EventRow;
  readonly deliveries: DeliveryRow;
  readonly failing: Failing;
  readonly endpoints: Endpoint;
}

/** The event of a row. Its payload is parsed when it is first looked at: many readers never do. */
export function eventOf(row: EventRow): StoredEvent {
  return new KeptEvent(row);
}

class KeptEvent implements StoredEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: EventName;
  readonly at: string;
  readonly run_id: string | null;
  readonly turn_id: string | null;
  readonly role: string | null;
  readonly phase: string | null;
  readonly hash: string;
  readonly #text: string;
  #payload: AnyPayload | undefined;

  constructor({ seq, id, type, at, run_id, turn_id, role, phase, hash, payload }: EventRow) {
    this.seq = seq;
    this.id = id;
    this.type = type;
    this.at = at;
    this.run_id = run_id;
    this.turn_id = turn_id;
    this.role = role;
    this.phase = phase;
    this.hash = hash;
    this.#text = payload;
  }

  get payload(): AnyPayload {
    this.#payload ??= JSON.parse(this.#text) as AnyPayload;
    return this.#payload;
  }

  toJSON(): StoredEvent {
    return { ...this, payload: this.payload };
  }
}

/** The delivery of a row, with what it shows of its event. */
export function deliveryOf(row: DeliveryRow, event: Pick<EventRow, 'id' | 'type' | 'run_id'>): Delivery {
  return {
    id: `${row.seq}.${row.n}`,
    key: `${event.id}.${row.n}`,
    event_id: event.id,
    event: event.type,
    seq: row.seq,
    run_id: event.run_id,
    plugin: row.plugin,
    handler: row.handler,
    awaited: row.awaited === 1,
    status: row.status,
    attempts: row.attempts,
    due_at: row.due_at,
    settled_at: row.settled_at,
    exit_code: row.exit_code,
    signal: row.signal,
    http_status: row.http_status,
    verdict: row.verdict,
    message: row.message,
    annotations: recordIn(row.annotations),
    duration_ms: row.duration_ms,
    plugin_version: row.plugin_version,
    plugin_digest: row.plugin_digest,
    request: recordIn(row.request),
    asked_at: row.asked_at,
  };
}

/** The delivery that an event owes, before it is tried: the `n`th of them, counted from 1. */
export function owedDelivery(event: EventRow, n: number, owed: Owed): Delivery {
  return {
    id: `${event.seq}.${n}`,
    key: `${event.id}.${n}`,
    event_id: event.id,
    event: event.type,
    seq: event.seq,
    run_id: event.run_id,
    plugin: owed.plugin,
    handler: owed.handler,
    awaited: owed.awaited === true,
    status: 'owed',
    attempts: 0,
    due_at: owed.due_at ?? null,
    settled_at: null,
    exit_code: null,
    signal: null,
    http_status: null,
    verdict: null,
    message: null,
    annotations: null,
    duration_ms: null,
    plugin_version: owed.version ?? null,
    plugin_digest: owed.digest ?? null,
    request: null,
    asked_at: null,
  };
}

/** The run of a row. */
export function runOf({ request, n: _, ...row }: RunTableRow): RunRow {
  return { ...row, request: recordIn(request) };
}

function recordIn(json: string | null): Record<string, unknown> | null {
  return json === null ? null : (JSON.parse(json) as Record<string, unknown>);
}
