import { hash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { EventRow } from './rows.ts';
import type { Verified } from './store.ts';

/** The hash of the event at a place: over the hash of the one before it and all that is kept of it. */
export function hashOf(before: string, seq: number, event: Omit<EventRow, 'seq' | 'hash'>): string {
  const { id, type, at, run_id, turn_id, role, phase, payload } = event;
  // In JSON no line ends inside a value: no two different rows give the same text.
  return hash('sha256', `${before}\n${JSON.stringify([seq, id, type, at, run_id, turn_id, role, phase])}\n${payload}`);
}

const eventsAtOnce = 500;

/** Recomputes the chain between two ends out of all events there are, in the order of their places. */
export async function verifyChain(
  { anchor_seq, anchor_hash, head_seq, head_hash }: Ends,
  all: Iterable<EventRow> | AsyncIterable<EventRow>,
): Promise<Verified> {
  let [seq, before, events] = [anchor_seq, anchor_hash, 0];
  const broken = (at: number, reason: string): Verified => ({
    ok: false,
    events,
    head: before === '' ? null : before,
    broken_at: at,
    reason,
  });
  for await (const event of all) {
    if (event.seq <= seq) return broken(event.seq, `event ${event.seq} stands where events have been pruned`);
    if (event.seq !== seq + 1) return broken(seq + 1, `event ${seq + 1} is missing`);
    if (event.hash !== hashOf(before, event.seq, event))
      return broken(event.seq, `event ${event.seq} is not as it was appended`);
    [seq, before, events] = [event.seq, event.hash, events + 1];
    if (events % eventsAtOnce === 0) await breathe();
  }
  if (seq < head_seq) return broken(seq + 1, `events ${seq + 1} to ${head_seq}, the newest, are missing`);
  if (seq > head_seq) return broken(head_seq + 1, `event ${head_seq + 1} was not appended by the ledger`);
  if (before !== head_hash) return broken(seq, 'the end of the chain is not the one that was noted');
  return { ok: true, events, head: before === '' ? null : before };
}

/** The row that knows both ends of the chain: the last event that was pruned, and the last that was appended. */
export interface Ends {
  readonly anchor_seq: number;
  readonly anchor_hash: string;
  readonly head_seq: number;
  readonly head_hash: string;
}
