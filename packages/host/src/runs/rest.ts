import { isSettled } from '../ledger/index.ts';
import { decide } from './decide.ts';
import { type Lacking, type Lacks, lacksNothing, sharedOut } from './labels.ts';
import type { RunState } from './state.ts';

/** What a run does if it is left alone. */
export type Rest =
  /** It can go on now. */
  | { readonly at: 'work' }
  /** People or time must move it; `until` is when time does, null if never. */
  | { readonly at: 'rest'; readonly until: Date | null }
  /** It can go on now, but not on this host: it plays none of the roles whose turn it is. */
  | { readonly at: 'elsewhere'; readonly lacking: readonly Lacking[]; readonly until: Date | null };

/** Whether a run can go on at this time, on a host that lacks this, or when it can. Pure. */
export function restOf(state: RunState, now: Date, lacks: Lacks = lacksNothing): Rest {
  if (isSettled(state.status)) return { at: 'rest', until: null };
  const actions = decide(state, now);
  const waits = actions.filter((action) => action.kind === 'wait');
  const { here, lacking } = sharedOut(state, actions, lacks);
  if (waits.length < here.length) return { at: 'work' };
  const { runTimeoutMs } = state.template.limits;
  const overdue = runTimeoutMs === null ? [] : [Date.parse(state.started_at) + runTimeoutMs + 1];
  const times = [...waits.flatMap(({ until }) => (until === null ? [] : [Date.parse(until)])), ...overdue];
  const until = times.length === 0 ? null : new Date(Math.min(...times));
  return lacking.length === 0 ? { at: 'rest', until } : { at: 'elsewhere', lacking, until };
}
