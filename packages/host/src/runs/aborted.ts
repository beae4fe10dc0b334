import type { EventPayload } from 'patchbay-sdk';
import { newEvent } from '../ledger/index.ts';
import type { RunState } from './state.ts';
import { objectionsOf, summaryOf } from './summary.ts';

/** Who ends a run, and why. */
export interface Abortion {
  readonly by: string;
  readonly reason: string;
}

/** The last step of a run that somebody ends. */
export function abortedBy({ by, reason }: Abortion, state: RunState, time: Date): EventPayload<'run:aborted'> {
  const { run_id, template, goal, phase } = state;
  const at = time.toISOString();
  const why = `${by}: ${reason}`;
  return newEvent('run:aborted', {
    at,
    run_id,
    template: template.name,
    goal,
    phase: phase === '' ? null : phase,
    summary: why,
    run_summary: summaryOf(state, at),
    decisions: [...state.decisions],
    objections: objectionsOf(state),
    reason: why,
  });
}
