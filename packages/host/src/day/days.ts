import { isSettled, type LedgerStore, type RunStatus } from '../ledger/index.ts';
import type { Template } from '../runs/template/template.ts';

/** A run of a day. */
export interface DayRun {
  readonly run_id: string;
  readonly day: number;
  /** What it is to bring. */
  readonly target: string;
  readonly status: RunStatus;
  /** When its status was last changed. */
  readonly at: string;
  readonly template: Template;
}

/** Where a day stands: its last run, if that has not come to nothing. */
export type Standing =
  | { readonly state: 'open' }
  | { readonly state: 'under-way' | 'held' | 'shipped'; readonly run: DayRun };

/** All runs of days, in the order in which they were asked for. */
export async function dayRuns(ledger: LedgerStore): Promise<readonly DayRun[]> {
  const found: DayRun[] = [];
  for await (const { run_id, status, goal, updated_at, request } of ledger.runs()) {
    const { inputs, snapshot } = (request ?? {}) as { inputs?: { day?: unknown }; snapshot?: Template };
    const day = inputs?.day;
    if (typeof day !== 'number' || snapshot === undefined) continue;
    found.push({ run_id, day, target: goal ?? '', status, at: updated_at, template: snapshot });
  }
  return found;
}

/** Where a day stands. What is shipped stays shipped; one that was aborted or failed may be begun again. */
export function standingOf(runs: readonly DayRun[], day: number): Standing {
  const its = runs.filter((run) => run.day === day);
  const shipped = its.find(({ status }) => status === 'completed');
  if (shipped !== undefined) return { state: 'shipped', run: shipped };
  const underWay = its.find(({ status }) => !isSettled(status));
  if (underWay !== undefined) return { state: 'under-way', run: underWay };
  const last = its.at(-1);
  return last?.status === 'held' ? { state: 'held', run: last } : { state: 'open' };
}

/** The runs that shipped a day, in the order in which they did. */
export function shippedRuns(runs: readonly DayRun[]): readonly DayRun[] {
  return runs.filter(({ status }) => status === 'completed').toSorted((a, b) => (a.at < b.at ? -1 : 1));
}
