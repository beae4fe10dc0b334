import * as z from 'zod/mini';
import type { Delivery, StoredEvent } from '../ledger/index.ts';
import { count, json, maybe, text } from './schemas.ts';

/** An event, as the API and `patchbay events --json` show it. */
export const event = z.object({
  seq: count,
  id: text,
  type: text,
  at: text,
  run_id: maybe,
  turn_id: maybe,
  role: maybe,
  phase: maybe,
  payload: json,
  hash: text,
});

/** What is shown of an event. */
export function shownEvent({ seq, id, type, at, run_id, turn_id, role, phase, payload, hash }: StoredEvent) {
  return { seq, id, type, at, run_id, turn_id, role, phase, payload, hash };
}

/** A delivery, as the API and `patchbay deliveries --json` show it. */
export const delivery = z.object({
  id: text,
  key: text,
  event_id: text,
  event: text,
  seq: count,
  run_id: maybe,
  plugin: text,
  handler: text,
  awaited: z.boolean(),
  status: z.enum(['owed', 'sending', 'ok', 'warn', 'failed', 'refused', 'skipped', 'cancelled']),
  attempts: count,
  due_at: maybe,
  settled_at: maybe,
  exit_code: z.nullable(z.int()),
  signal: maybe,
  http_status: z.nullable(count),
  verdict: maybe,
  message: maybe,
  annotations: z.nullable(json),
  duration_ms: z.nullable(z.number()),
  plugin_version: maybe,
  plugin_digest: maybe,
  /** What is sent for it, if its handler asked for that. */
  request: z.nullable(json),
  asked_at: maybe,
});

/** What is shown of a delivery. */
export function shownDelivery(kept: Delivery): z.output<typeof delivery> {
  const { annotations, request } = kept;
  return {
    ...kept,
    annotations: annotations === null ? null : { ...annotations },
    request: request === null ? null : { ...request },
  };
}
