import type { RunReport } from 'patchbay-sdk';
import type { RunState } from '../runs/state.ts';

/** What reporters are told of a run. */
export function reportOf(state: RunState): RunReport {
  const { run_id, template, goal, status, reason, started_at, at, inputs, cost, turns } = state;
  const day = typeof inputs['day'] === 'number' ? inputs['day'] : null;
  return {
    run_id,
    template: template.name,
    goal,
    status,
    reason,
    started_at,
    ended_at: at,
    day,
    decision: day === null ? null : status === 'completed' ? 'SHIP' : 'HOLD',
    cost,
    turns: turns.map(({ turn_id, role, phase, attempt, state: its, result }) => {
      return {
        turn_id,
        role,
        phase,
        attempt,
        state: its,
        summary: result?.summary ?? null,
        report: result?.report ?? null,
      };
    }),
  };
}
