import { type EventName, events, messageOf, PatchbayError, problemsOf, suggestion } from 'patchbay-sdk';
import type { AnyPayload, StoredEvent } from './store.ts';

/** An event that was found valid, as it will be kept: its place and its hash are given where it is written. */
export interface Draft extends Omit<StoredEvent, 'seq' | 'payload' | 'hash'> {
  /** The payload as text. */
  readonly payload: string;
  readonly template: string | null;
  readonly goal: string | null;
  /** The chat in which it was said, or which it cleared. */
  readonly chat: string | null;
}

/**
 * Checks a payload, unless it is known to fit, and writes it as text. Throws `EVENT_INVALID`, which names the event and the
 * field.
 */
export function draftOf(payload: AnyPayload, isChecked: boolean): Draft {
  const type = nameOf(payload);
  if (!isChecked) check(type, payload);
  return {
    id: payload.event_id.toWellFormed(),
    type,
    at: timeOf(payload.at),
    run_id: kept(payload.run_id),
    turn_id: kept(payload.turn_id),
    role: kept(payload.role),
    phase: kept(payload.phase),
    payload: textOf(type, payload),
    template: kept(payload.template),
    goal: kept(payload.goal),
    chat: kept(chatOf(payload)),
  };
}

/** The chat in which something was said, or which it cleared; null for other events. */
export function chatOf(payload: AnyPayload): string | null {
  const isSaid =
    payload.event === 'message:received' || payload.event === 'message:sent' || payload.event === 'chat:cleared';
  return isSaid ? payload.chat_jid : null;
}

function check(type: EventName, payload: AnyPayload): void {
  const problems = problemsOf(events[type], payload);
  if (problems.length === 0) return;
  const said = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  throw invalid(type, said, { field: problems[0]?.path, problems });
}

/** As everybody of ours writes it: reading and writing it again would change nothing. */
const usual = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function timeOf(at: string): string {
  return usual.test(at) ? at : new Date(at).toISOString();
}

/** No storage keeps half a surrogate pair: what is hashed must be what can be read again. */
function kept(text: string | null): string | null {
  return text === null ? null : text.toWellFormed();
}

function nameOf(payload: unknown): EventName {
  const { event } = (payload ?? {}) as { event?: unknown };
  if (typeof event === 'string' && Object.hasOwn(events, event)) return event as EventName;
  const known = typeof event === 'string' ? `, ${suggestion(event, Object.keys(events))}` : '';
  throw invalid(String(event), `there is no such event${known}`, { field: 'event' });
}

function textOf(type: EventName, payload: AnyPayload): string {
  try {
    return JSON.stringify(payload);
  } catch (error) {
    throw invalid(type, `it cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
}

function invalid(event: string, what: string, blame: ConstructorParameters<typeof PatchbayError>[2]): PatchbayError {
  return new PatchbayError('EVENT_INVALID', `event ${event}: ${what}`, { hook: event, ...blame });
}
