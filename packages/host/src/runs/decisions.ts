import { PatchbayError } from 'patchbay-sdk';
import { isSettled, type LedgerStore, newEvent } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { loadRun } from './engine.ts';
import { type RunState, unbegun } from './state.ts';
import { objectionsOf, summaryOf } from './summary.ts';

interface Parts {
  readonly ledger: LedgerStore;
  readonly emitter: Emitter;
}

/** What somebody says of a gate. */
export interface Vote {
  readonly by: string;
  readonly decision: 'approved' | 'refused';
  readonly comment: string | null;
}

/** Others may vote at the same moment; then it is looked at again, so often. */
const tries = 10;

/**
 * Writes down what somebody says of the gate that a run waits at; whoever carries the run out heeds it. Throws
 * APPROVAL_INVALID if nothing waits, or not for this person.
 */
export async function castVote(parts: Parts, run_id: string, vote: Vote): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await tryVote(parts, run_id, vote);
    } catch (error) {
      if (left === 0 || !(error instanceof PatchbayError) || error.code !== 'RUN_MOVED') throw error;
    }
  }
}

async function tryVote({ ledger, emitter }: Parts, run_id: string, vote: Vote): Promise<void> {
  const { state } = await loadRun(ledger, run_id);
  const invalid = (what: string) => new PatchbayError('APPROVAL_INVALID', `run ${run_id} ${what}`, { run: run_id });
  if (state === undefined || state.status !== 'waiting' || state.gate?.approval == null) {
    throw invalid(`waits for no approval: it is ${state?.status ?? 'pending'}`);
  }
  const problem = problemOf(state, vote);
  if (problem !== undefined) throw invalid(problem);
  const { id, expires_at } = state.gate.approval;
  const { quorum } = state.template.gates[state.gate.name]?.approval ?? { quorum: 1 };
  const payload = newEvent('approval:decided', {
    ...commonOf(state),
    summary: `${vote.by} ${vote.decision} gate "${state.gate.name}"`,
    approval_id: id,
    kind: 'gate',
    waiting_for: `${quorum} approval(s) of gate "${state.gate.name}"`,
    expires_at,
    decision: vote.decision,
    approver: vote.by,
    comment: vote.comment,
  });
  await emitter.emit(payload, { after: state.head });
}

function problemOf({ gate, template, started_by }: RunState, { by, decision }: Vote): string | undefined {
  const { approvers, proposerMayApprove, quorum } = template.gates[gate?.name ?? '']?.approval ?? {
    approvers: [] as readonly string[],
    proposerMayApprove: true,
    quorum: 1,
  };
  if (approvers.length > 0 && !approvers.includes(by))
    return `may not be decided on by ${by}, only by ${approvers.join(', ')}`;
  const approvals = gate?.votes.filter((vote) => vote.decision === 'approved').length ?? 0;
  const isDecided = approvals >= quorum || gate?.votes.some((vote) => vote.decision === 'refused');
  if (isDecided) return 'is decided on already; it goes on when a host carries it on';
  if (decision === 'refused') return undefined;
  if (!proposerMayApprove && by === started_by) return `was started by ${by}, who may not approve it`;
  if (gate?.votes.some((vote) => vote.by === by)) return `has the approval of ${by} already`;
  return undefined;
}

/** Ends a run. Throws RUN_TRANSITION if it has ended, RUN_MOVED if it has gone on meanwhile. */
export async function abortRun(
  parts: Parts,
  run_id: string,
  { by, reason }: { by: string; reason: string },
): Promise<void> {
  const { row, state = unbegun(row) } = await loadRun(parts.ledger, run_id);
  if (isSettled(state.status)) {
    const message = `run ${run_id} is ${state.status}: it cannot be aborted`;
    throw new PatchbayError('RUN_TRANSITION', message, { run: run_id });
  }
  const run_summary = summaryOf(state, new Date().toISOString());
  const why = `${by}: ${reason}`;
  const payload = newEvent('run:aborted', {
    ...commonOf(state),
    summary: why,
    run_summary,
    decisions: [...state.decisions],
    objections: objectionsOf(state),
    reason: why,
  });
  await parts.emitter.emit(payload, { after: state.head });
}

function commonOf({ run_id, template, goal, phase }: RunState) {
  return { run_id, template: template.name, goal, phase: phase === '' ? null : phase };
}
