import { isSettled, type RunRow } from '../ledger/index.ts';
import type { RunState } from './state.ts';

/** A run, as programs are shown it. */
export interface ShownRun {
  readonly run_id: string;
  readonly template: string;
  readonly status: RunState['status'];
  readonly turns: readonly {
    readonly turn_id: string;
    readonly role: string;
    readonly phase: string;
    readonly attempt: number;
    readonly state: string;
  }[];
  readonly gates: RunState['gates'];
  /** Why it was held, or has failed or been aborted. */
  readonly reason?: string;
  readonly cost?: RunState['cost'];
  /** The day of the plan that it is. */
  readonly day?: number;
  /** How that day has ended. */
  readonly day_decision?: 'SHIP' | 'HOLD';
}

/** What programs are shown of a run. */
export function shownRun({ run_id, template, status, turns, gates, reason, cost, inputs }: RunState): ShownRun {
  return {
    run_id,
    template: template.name,
    status,
    turns: turns.map(({ turn_id, role, phase, attempt, state }) => ({ turn_id, role, phase, attempt, state })),
    gates,
    ...(reason === null ? {} : { reason }),
    cost,
    ...dayOf(status, inputs),
  };
}

function dayOf(status: RunState['status'], { day }: RunState['inputs']): Pick<ShownRun, 'day' | 'day_decision'> {
  if (typeof day !== 'number') return {};
  return isSettled(status) ? { day, day_decision: status === 'completed' ? 'SHIP' : 'HOLD' } : { day };
}

/** What programs are shown of a run that has not begun. */
export function shownRequest({ run_id, template, status }: Pick<RunRow, 'run_id' | 'template' | 'status'>): ShownRun {
  return { run_id, template: template ?? '', status, turns: [], gates: [] };
}
