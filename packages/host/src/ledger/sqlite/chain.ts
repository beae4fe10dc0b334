import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Verified } from '../store.ts';
import type { EventRow } from './tables.ts';

/** The hash of an event: over the hash of the one before it and all that is kept of it. */
export function hashOf(before: string, event: Omit<EventRow, 'hash'>): string {
  const { seq, id, type, at, run_id, turn_id, role, phase, payload } = event;
  // In JSON no line ends inside a value: no two different rows give the same text.
  return hash('sha256', `${before}\n${JSON.stringify([seq, id, type, at, run_id, turn_id, role, phase])}\n${payload}`);
}

/** The end of the chain, known during a transaction only: between two of them another process may append. */
export class Head {
  readonly #read;
  readonly #write;
  #seq = 0;
  #hash = '';
  #moved = false;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare('SELECT head_seq, head_hash FROM chain');
    this.#write = db.prepare('UPDATE chain SET head_seq = ?, head_hash = ?');
  }

  get seq(): number {
    return this.#seq;
  }

  get hash(): string {
    return this.#hash;
  }

  /** To be called when a transaction has begun. */
  load(): void {
    const { head_seq, head_hash } = this.#read.get() as { head_seq: number; head_hash: string };
    this.#seq = head_seq;
    this.#hash = head_hash;
    this.#moved = false;
  }

  moveTo(seq: number, hashed: string): void {
    this.#seq = seq;
    this.#hash = hashed;
    this.#moved = true;
  }

  /** To be called before a transaction ends. */
  save(): void {
    if (this.#moved) this.#write.run(this.#seq, this.#hash);
  }
}

const eventsAtOnce = 500;

/** Recomputes the whole chain in one state of the ledger, on a connection of its own; others may write meanwhile. */
export async function verifyChain(reader: DatabaseSync): Promise<Verified> {
  reader.exec('BEGIN');
  const { anchor_seq, anchor_hash, head_seq, head_hash } = reader
    .prepare('SELECT * FROM chain')
    .get() as unknown as Ends;
  let [seq, before, events] = [anchor_seq, anchor_hash, 0];
  const broken = (at: number, reason: string): Verified => ({
    ok: false,
    events,
    head: before === '' ? null : before,
    broken_at: at,
    reason,
  });
  for (const row of reader.prepare('SELECT * FROM events ORDER BY seq').iterate() as Iterable<unknown>) {
    const event = row as EventRow;
    if (event.seq <= seq) return broken(event.seq, `event ${event.seq} stands where events have been pruned`);
    if (event.seq !== seq + 1) return broken(seq + 1, `event ${seq + 1} is missing`);
    if (event.hash !== hashOf(before, event)) return broken(event.seq, `event ${event.seq} is not as it was appended`);
    [seq, before, events] = [event.seq, event.hash, events + 1];
    if (events % eventsAtOnce === 0) await breathe();
  }
  if (seq < head_seq) return broken(seq + 1, `events ${seq + 1} to ${head_seq}, the newest, are missing`);
  if (seq > head_seq) return broken(head_seq + 1, `event ${head_seq + 1} was not appended by the ledger`);
  if (before !== head_hash) return broken(seq, 'the end of the chain is not the one that was noted');
  return { ok: true, events, head: before === '' ? null : before };
}

interface Ends {
  readonly anchor_seq: number;
  readonly anchor_hash: string;
  readonly head_seq: number;
  readonly head_hash: string;
}
