import type { LedgerStore } from '../ledger/index.ts';
import { loadRun } from '../runs/load.ts';
import type { DayRun } from './days.ts';

/** What a day has cost. */
export interface Spend {
  readonly day: number;
  readonly usd: number;
}

/** What each day has cost, all its runs together, in the order of days. */
export async function spendByDay(ledger: LedgerStore, runs: readonly DayRun[]): Promise<readonly Spend[]> {
  const byDay = new Map<number, number>();
  for (const { day, run_id } of runs) byDay.set(day, (byDay.get(day) ?? 0) + (await usdOf(ledger, run_id)));
  return [...byDay].map(([day, usd]) => ({ day, usd })).toSorted((a, b) => a.day - b.day);
}

/** What a run has cost so far: its last event tells, once it has ended. */
async function usdOf(ledger: LedgerStore, run: string): Promise<number> {
  for await (const { payload } of ledger.events({ run, type: 'run:*', newestFirst: true, limit: 1 })) {
    if ('run_summary' in payload) return payload.run_summary.cost.usd;
  }
  return (await loadRun(ledger, run)).state?.cost.usd ?? 0;
}

/** An amount, for people. */
export function dollars(usd: number): string {
  return `${Number(usd.toFixed(4))} USD`;
}
