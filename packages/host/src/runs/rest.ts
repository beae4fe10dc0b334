import { isSettled } from '../ledger/index.ts';
import { decide } from './decide.ts';
import type { RunState } from './state.ts';

/** What a run does if it is left alone. */
export type Rest =
  /** It can go on now. */
  | { readonly at: 'work' }
  /** People or time must move it; `until` is when time does, null if never. */
  | { readonly at: 'rest'; readonly until: Date | null };

/** Whether a run can go on at this time, or when it can. Pure. */
export function restOf(state: RunState, now: Date): Rest {
  if (isSettled(state.status)) return { at: 'rest', until: null };
  const actions = decide(state, now);
  const waits = actions.flatMap((action) => (action.kind === 'wait' ? [action.until] : []));
  if (waits.length < actions.length) return { at: 'work' };
  const { runTimeoutMs } = state.template.limits;
  const overdue = runTimeoutMs === null ? [] : [Date.parse(state.started_at) + runTimeoutMs + 1];
  const times = [...waits.flatMap((until) => (until === null ? [] : [Date.parse(until)])), ...overdue];
  return { at: 'rest', until: times.length === 0 ? null : new Date(Math.min(...times)) };
}
