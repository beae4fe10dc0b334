import { PatchbayError } from 'patchbay-sdk';
import { isSettled, type LedgerStore, newEvent } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { type Abortion, abortedBy } from './aborted.ts';
import { type Approvers, prove } from './approvers.ts';
import { timeAfter } from './clock.ts';
import { loadRun } from './load.ts';
import { type RunState, type StandingGate, unbegun } from './state.ts';
import type { Approval } from './template/template.ts';
import { needsProof, votesThatCount } from './votes.ts';

interface Parts {
  readonly ledger: LedgerStore;
  readonly emitter: Emitter;
  /** Who can prove who they are, as it is now. @default nobody */
  readonly approvers?: () => Approvers;
  readonly now?: () => Date;
}

/** What somebody says of a gate. */
export interface Vote {
  readonly by: string;
  readonly decision: 'approved' | 'refused';
  readonly comment: string | null;
  /** Proves who they are, where that is asked. It is never kept. */
  readonly token?: string | undefined;
}

/** The run may go on at the same moment, or others vote; then it is looked at again, so often. */
const tries = 10;

/**
 * Writes down what somebody says of the gate that a run waits at; whoever carries the run out heeds it. Throws
 * APPROVAL_INVALID if nothing waits, or not for this person, APPROVAL_UNPROVEN if they must prove who they are and do not.
 */
export function castVote(parts: Parts, run_id: string, vote: Vote): Promise<void> {
  return insisting(() => tryVote(parts, run_id, vote));
}

async function insisting(act: () => Promise<void>): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await act();
    } catch (error) {
      if (left === 0 || !(error instanceof PatchbayError) || error.code !== 'RUN_MOVED') throw error;
    }
  }
}

async function tryVote(parts: Parts, run_id: string, vote: Vote): Promise<void> {
  const { ledger, emitter, approvers } = parts;
  const { state } = await loadRun(ledger, run_id);
  const invalid = (what: string) => new PatchbayError('APPROVAL_INVALID', `run ${run_id} ${what}`, { run: run_id });
  if (state === undefined || state.status !== 'waiting' || state.gate?.approval == null) {
    throw invalid(`waits for no approval: it is ${state?.status ?? 'pending'}`);
  }
  const { gate } = state;
  const approval = approvalAt(state, gate);
  const at = timeAfter(state.at, parts.now?.());
  const problem = problemOf(state, gate, approval, vote, at);
  if (problem !== undefined) throw invalid(problem);
  const isProven = needsProof(approval);
  if (isProven) prove(vote.by, vote.token, approvers?.() ?? {}, run_id);
  const payload = newEvent('approval:decided', {
    ...commonOf(state, at),
    summary: `${vote.by} ${vote.decision} gate "${gate.name}"`,
    approval_id: gate.approval?.id ?? '',
    kind: 'gate',
    waiting_for: `${approval.quorum} approval(s) of gate "${gate.name}"`,
    expires_at: gate.approval?.expires_at ?? null,
    decision: vote.decision,
    approver: vote.by,
    comment: vote.comment,
    ...(isProven ? { proof: 'token' as const } : {}),
  });
  await emitter.emit(payload, { after: state.head });
}

/** A gate always has one in its template; without it nobody could approve it. */
function approvalAt({ template, run_id }: RunState, { name }: StandingGate): Approval {
  const approval = template.gates[name]?.approval;
  if (approval !== undefined) return approval;
  throw new PatchbayError('RUN_TRANSITION', `run ${run_id} waits at gate "${name}", which its template does not have`);
}

function problemOf(
  { started_by }: RunState,
  gate: StandingGate,
  approval: Approval,
  { by, decision }: Vote,
  now: Date,
): string | undefined {
  const { approvers, proposerMayApprove, quorum } = approval;
  if (approvers.length > 0 && !approvers.includes(by))
    return `may not be decided on by ${by}, only by ${approvers.join(', ')}`;
  const votes = votesThatCount(gate, approval);
  const approvals = votes.filter((vote) => vote.decision === 'approved').length;
  const isDecided = approvals >= quorum || votes.some((vote) => vote.decision === 'refused');
  if (isDecided) return 'is decided on already; it goes on when a host carries it on';
  const until = gate.approval?.expires_at ?? null;
  if (until !== null && Date.parse(until) <= now.getTime()) return `could be decided on until ${until}`;
  if (decision === 'refused') return undefined;
  if (!proposerMayApprove && by === started_by) return `was started by ${by}, who may not approve it`;
  if (votes.some((vote) => vote.by === by)) return `has the approval of ${by} already`;
  return undefined;
}

/** Ends a run, whatever it is doing. Throws RUN_TRANSITION if it has ended. */
export function abortRun(parts: Parts, run_id: string, why: Abortion): Promise<void> {
  return insisting(() => tryAbort(parts, run_id, why));
}

async function tryAbort({ ledger, emitter, now }: Parts, run_id: string, why: Abortion): Promise<void> {
  const { row, state = unbegun(row) } = await loadRun(ledger, run_id);
  if (isSettled(state.status)) {
    const message = `run ${run_id} is ${state.status}: it cannot be aborted`;
    throw new PatchbayError('RUN_TRANSITION', message, { run: run_id });
  }
  await emitter.emit(abortedBy(why, state, timeAfter(state.at, now?.())), { after: state.head });
}

function commonOf({ run_id, template, goal, phase }: RunState, at: Date) {
  return { at: at.toISOString(), run_id, template: template.name, goal, phase: phase === '' ? null : phase };
}
