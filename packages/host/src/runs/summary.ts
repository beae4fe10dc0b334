import type { EventPayload } from 'patchbay-sdk';
import type { RunState, Turn, TurnResult } from './state.ts';

/** What a run came to, as its last event tells it. */
export function summaryOf(state: RunState, now: string): EventPayload<'run:completed'>['run_summary'] {
  return {
    turns: state.turns.length,
    phases: state.phases.map((phase) => ({ ...phase, ended_at: phase.ended_at ?? now })),
    decisions: state.decisions.length,
    objections: state.objections.length,
    verification: verificationOf(state.turns),
    cost: state.cost,
  };
}

/** What was objected to in a run, whether it was dealt with or not. */
export function objectionsOf({ objections }: RunState): TurnResult['objections'] {
  return objections.map(({ id, severity, statement }) => ({ id, severity, statement }));
}

/** All evidence of a run together: it passes if every part does. */
function verificationOf(turns: readonly Turn[]): TurnResult['verification'] {
  const all = turns.filter(({ state }) => state === 'accepted').flatMap(({ result }) => result?.verification ?? []);
  const checked = all.filter(({ status }) => status !== 'skipped');
  const failed = checked.some(({ status }) => status === 'fail');
  return {
    status: failed ? 'fail' : checked.length > 0 ? 'pass' : 'skipped',
    commands: all.flatMap(({ commands }) => commands),
    machine_evidence: all.flatMap(({ machine_evidence }) => machine_evidence),
  };
}
