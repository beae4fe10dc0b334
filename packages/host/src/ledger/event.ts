import type { EventName, EventPayload } from 'patchbay-sdk';
import { v7 } from 'uuid';

/** The keys that every event has. */
const common = {
  run_id: null,
  template: null,
  goal: null,
  phase: null,
  role: null,
  turn_id: null,
  attempt: null,
  summary: null,
};

type Common = 'event_id' | 'at' | keyof typeof common;

/** What the maker of an event `E` says of it: what only this event has, and of the common keys those that apply. */
export type EventFields<E extends EventName> = Omit<EventPayload<E>, 'event' | Common> &
  Partial<Pick<EventPayload<E>, Common & keyof EventPayload<E>>>;

/**
 * The whole payload of an event that happens now. Its id is new and later ones sort after it, so that indexes grow at
 * their end. It is not checked: the ledger does that.
 */
export function newEvent<E extends EventName>(type: E, fields: EventFields<E>): EventPayload<E> {
  const event_id = fields.event_id ?? v7();
  const payload = { event: type, event_id, at: nowText(), ...common, ...fields };
  return payload as unknown as EventPayload<E>;
}

let latest = { ms: 0, text: '' };

/** Many events happen in the same millisecond where they come by the thousand. */
function nowText(): string {
  const ms = Date.now();
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}
