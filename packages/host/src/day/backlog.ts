import { PatchbayError, suggestion } from 'patchbay-sdk';
import { type LedgerStore, newEvent } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { advisoryId } from '../runs/reviews.ts';
import { dayRuns } from './days.ts';

/** A concern of a reviewer that is kept until somebody clears it. */
export interface BacklogItem {
  readonly id: string;
  /** The reviewer. */
  readonly by: string;
  /** What it said last. */
  readonly advisory: string;
  /** The days on which it was raised. */
  readonly days: readonly number[];
  readonly runs: readonly string[];
  readonly recorded_at: string;
  /** Null as long as it is open. One that was cleared stays so, should it be raised again. */
  readonly cleared: { readonly by: string; readonly reason: string; readonly at: string } | null;
}

/** All concerns that were ever recorded, in the order in which they first were. */
export async function backlogOf(ledger: LedgerStore): Promise<readonly BacklogItem[]> {
  const days = new Map((await dayRuns(ledger)).map(({ run_id, day }) => [run_id, day]));
  const items = new Map<string, BacklogItem>();
  for await (const { payload } of ledger.events({ type: 'advisory:*' })) {
    if (payload.event === 'advisory:cleared') {
      const item = items.get(payload.advisory_id);
      const { by, reason, at } = payload;
      if (item !== undefined) items.set(item.id, { ...item, cleared: item.cleared ?? { by, reason, at } });
    }
    if (payload.event !== 'advisory:recorded') continue;
    const { by, advisory, advisory_id: id = advisoryId(by, advisory), run_id, at } = payload;
    const { days: before = [], runs = [], recorded_at = at, cleared = null } = items.get(id) ?? {};
    const day = days.get(run_id ?? '');
    items.set(id, {
      id,
      by,
      advisory,
      days: [...new Set([...before, ...(day === undefined ? [] : [day])])],
      runs: [...new Set([...runs, ...(run_id === null ? [] : [run_id])])],
      recorded_at,
      cleared,
    });
  }
  return [...items.values()];
}

/** Writes down that a concern need not be raised again. Throws ADVISORY_UNKNOWN; one that is cleared stays as it is. */
export async function clearAdvisory(
  { ledger, emitter }: { readonly ledger: LedgerStore; readonly emitter: Emitter },
  id: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<BacklogItem> {
  const items = await backlogOf(ledger);
  const item = items.find((one) => one.id === id);
  if (item === undefined) {
    const known = items.map((one) => one.id);
    const told = known.length === 0 ? 'the backlog is empty' : suggestion(id, known);
    throw new PatchbayError('ADVISORY_UNKNOWN', `there is no advisory ${id}; ${told}`);
  }
  if (item.cleared !== null) return item;
  const summary = `${by} cleared ${id}: ${reason}`;
  const payload = newEvent('advisory:cleared', { summary, advisory_id: id, advisory: item.advisory, by, reason });
  await emitter.emit(payload);
  return { ...item, cleared: { by, reason, at: payload.at } };
}
