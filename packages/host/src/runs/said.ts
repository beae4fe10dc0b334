import type { EventFields } from '../ledger/index.ts';
import { judgeGate, policy } from './policy.ts';
import type { RunState, Turn, TurnResult } from './state.ts';
import { objectionsOf, summaryOf } from './summary.ts';
import type { Gate, Phase } from './template/template.ts';
import type { TurnEnd } from './workshop.ts';

/** What every event of a turn says. */
export function about({ turn_id, role, attempt, phase }: Turn) {
  return { turn_id, role, attempt, phase };
}

/** What is said of a turn that has a result. */
export function resultOf(turn: Turn, result: TurnResult) {
  const { decisions, files_changed, verification, cost, summary } = result;
  const decision_summary = decisions.map(({ id, statement }) => `${id}: ${statement}`).join('; ');
  return { ...about(turn), summary, result, decision_summary, files_changed, verification, cost };
}

/** What is said of a turn that has none; `used` is what was used up, if it was stopped for that. */
export function failureOf(turn: Turn, end: TurnEnd, used: string | undefined) {
  const { error, exit_code, signal, timed_out, cost } = end;
  const isUsed = used !== undefined && error?.code === 'STOPPED';
  const why = isUsed ? { code: 'BUDGET', message: `it was stopped: ${used}` } : error;
  const told = why ?? { code: 'UNKNOWN', message: 'it failed without saying why' };
  const known = cost === undefined ? {} : { cost };
  return { ...about(turn), summary: told.message, error: told, exit_code, signal, timed_out, ...known };
}

/** What is said of work that is not good enough. */
export function rejectionOf(turn: Turn, by: string, reason: string, errors: readonly string[], next: number | null) {
  return { ...about(turn), summary: reason, reason, errors: [...errors], by, next_attempt: next };
}

/** What is said of a gate that the run has come to. */
export function pendingOf(state: RunState, gate: Gate, phase: Phase) {
  const judged = judgeGate(state, gate, phase);
  return {
    gate: gate.name,
    kind: gate.approval.kind,
    from_phase: phase.name,
    to_phase: phase.next,
    waiting_for: judged.opens ? policy : `${gate.approval.quorum} approval(s)${judged.because}`,
    expires_at: null,
    summary: `gate "${gate.name}"`,
  };
}

/** What is said when people are asked. */
export function requestOf({ run_id }: RunState, { name, approval }: Gate, phase: Phase, because: string, now: Date) {
  const { expiresMs, quorum } = approval;
  const waiting_for = `${quorum} approval(s) of gate "${name}"${because}`;
  return {
    approval_id: `${run_id}/${phase.name}/${name}`,
    kind: 'gate',
    waiting_for,
    expires_at: expiresMs === null ? null : new Date(now.getTime() + expiresMs).toISOString(),
    summary: waiting_for,
  };
}

/** What is said of a run at its end. */
export function endOf(state: RunState, reason: string | undefined, now: Date): EventFields<'run:held'> {
  return {
    summary: reason ?? state.goal,
    run_summary: summaryOf(state, now.toISOString()),
    decisions: [...state.decisions],
    objections: objectionsOf(state),
    ...(reason === undefined ? {} : { reason }),
  };
}
