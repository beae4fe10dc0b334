import type { RunState, Turn } from './state.ts';
import type { Gate, Phase, Step } from './template/template.ts';

/** What a run does next. */
export type Action =
  /** Ask those who may refuse its last step: nobody knows whether they have answered. */
  | { readonly kind: 'ask' }
  | {
      readonly kind: 'dispatch';
      readonly step: Step;
      readonly role: string;
      readonly attempt: number;
      readonly turn_id: string;
      readonly reviews: Turn | null;
    }
  /** Have the core work on a turn that was dispatched before. */
  | { readonly kind: 'work'; readonly turn: Turn }
  | { readonly kind: 'accept'; readonly turn: Turn }
  /** The concern of a reviewer is recorded. */
  | { readonly kind: 'advise'; readonly turn: Turn }
  | {
      readonly kind: 'reject';
      readonly turn: Turn;
      readonly by: string;
      readonly reason: string;
      readonly errors: readonly string[];
      readonly next: number | null;
    }
  /** The gate at the end of the phase is announced. */
  | { readonly kind: 'announce'; readonly gate: Gate; readonly phase: Phase }
  /** What the gate demands is looked up. */
  | { readonly kind: 'examine'; readonly gate: Gate; readonly phase: Phase }
  | {
      readonly kind: 'open';
      readonly gate: Gate;
      readonly phase: Phase;
      readonly by: string;
      readonly comment: string | null;
    }
  | { readonly kind: 'complete' }
  | { readonly kind: 'hold'; readonly reason: string }
  /** Nothing but time or people can move it; at this time it wants to be looked at again. */
  | { readonly kind: 'wait'; readonly until: string | null };

/** Who let a gate open that needs nobody. */
export const policy = 'policy';

/** What a run does next, in this state, at this time. Pure: the same state and time give the same answer. */
export function decide(state: RunState, now: Date): readonly Action[] {
  if (state.status !== 'active' && state.status !== 'waiting') return [];
  const spent = exhausted(state, now);
  if (spent !== undefined) return [{ kind: 'hold', reason: spent }];
  if (state.gate !== null) return [atGate(state, now)];
  if (state.asking?.event === 'run:started') return [{ kind: 'ask' }];
  const phase = state.template.phases.find(({ name }) => name === state.phase);
  if (phase === undefined) return [{ kind: 'complete' }];
  for (const group of phase.steps) {
    const actions = group.map((step) => inStep(state, step));
    if (actions.some((action) => action !== undefined)) {
      const held = actions.find((action) => action?.kind === 'hold');
      if (held !== undefined) return [held];
      return actions.filter((action) => action !== undefined).slice(0, state.template.limits.parallel);
    }
  }
  const gate = state.template.gates[phase.gate] as Gate;
  return [{ kind: 'announce', gate, phase }];
}

/** What has been used up, if anything has. */
function exhausted({ template: { limits }, cost, started_at }: RunState, now: Date): string | undefined {
  const tokens = cost.input_tokens + cost.output_tokens;
  if (limits.usd !== null && cost.usd >= limits.usd) return `the budget of ${limits.usd} USD is used up (${cost.usd})`;
  if (limits.tokens !== null && tokens >= limits.tokens) return `the budget of ${limits.tokens} tokens is used up`;
  const elapsed = now.getTime() - Date.parse(started_at);
  if (limits.runTimeoutMs !== null && elapsed > limits.runTimeoutMs) return 'the run has taken longer than it may';
  return undefined;
}

/** What is next in a step; undefined when it is done. */
function inStep(state: RunState, step: Step): Action | undefined {
  const turn = state.turns.find((one) => one.step === step.id && one.reviews === null);
  if (turn === undefined) {
    const turn_id = step.id.replaceAll('/', '.');
    return { kind: 'dispatch', step, role: step.role, attempt: 1, turn_id, reviews: null };
  }
  switch (turn.state) {
    case 'accepted':
      return undefined;
    case 'dispatched':
      return { kind: 'work', turn };
    case 'submitted':
      return judging(state, step, turn);
    case 'rejected':
    case 'failed':
      return again(state, step, turn);
  }
}

/** Another attempt, if there may be one. */
function again(state: RunState, step: Step, turn: Turn): Action {
  const { attempts } = state.template.limits;
  const why = turn.feedback[0] ?? turn.state;
  if (turn.attempt >= attempts) {
    return { kind: 'hold', reason: `turn ${turn.turn_id} (${turn.role}) was tried ${attempts} times: ${why}` };
  }
  const { turn_id, role, attempt } = turn;
  return { kind: 'dispatch', step, role, attempt: attempt + 1, turn_id, reviews: null };
}

/** The reviewers one after the other, then what they come to. */
function judging(state: RunState, step: Step, turn: Turn): Action {
  for (const role of step.reviewers) {
    const review = state.turns.find(
      (one) => one.role === role && one.reviews?.turn_id === turn.turn_id && one.reviews.attempt === turn.attempt,
    );
    if (review === undefined) {
      const turn_id = `${turn.turn_id}.${turn.attempt}.${role}`;
      return { kind: 'dispatch', step, role, attempt: 1, turn_id, reviews: turn };
    }
    if (review.state === 'dispatched') return { kind: 'work', turn: review };
    if (review.state === 'submitted') return { kind: 'accept', turn: review };
    if (review.state !== 'accepted') {
      const next = again(state, step, review);
      return next.kind === 'dispatch' ? { ...next, reviews: turn } : next;
    }
    if (review.result?.status === 'rejected') return rejection(state, turn, role, review);
    const isNew = !state.advised.includes(review.turn_id);
    if (review.result?.status === 'advisory' && isNew) return { kind: 'advise', turn: review };
  }
  return { kind: 'accept', turn };
}

function rejection(state: RunState, turn: Turn, by: string, review: Turn): Action {
  const { attempts } = state.template.limits;
  const errors = (review.result?.objections ?? []).map(({ id, statement }) => `${id}: ${statement}`);
  const next = turn.attempt < attempts ? turn.attempt + 1 : null;
  return { kind: 'reject', turn, by, reason: review.result?.summary ?? 'rejected', errors, next };
}

function atGate(state: RunState, now: Date): Action {
  const standing = state.gate as NonNullable<RunState['gate']>;
  if (state.asking?.event === 'gate:pending') return { kind: 'ask' };
  const gate = state.template.gates[standing.name] as Gate;
  const phase = state.template.phases.find(({ name }) => name === standing.phase) as Phase;
  const refusal = standing.votes.find(({ decision }) => decision === 'refused');
  if (refusal !== undefined) {
    const why = refusal.comment === null ? '' : `: ${refusal.comment}`;
    return { kind: 'hold', reason: `${refusal.by} refused gate "${gate.name}"${why}` };
  }
  if (standing.approval === null) return { kind: 'examine', gate, phase };
  const { expires_at } = standing.approval;
  const approvals = standing.votes.filter(({ decision }) => decision === 'approved');
  const last = approvals.at(-1);
  if (last !== undefined && approvals.length >= gate.approval.quorum) {
    const by = approvals.map((vote) => vote.by).join(', ');
    return { kind: 'open', gate, phase, by, comment: last.comment };
  }
  if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) {
    return { kind: 'hold', reason: `nobody approved gate "${gate.name}" until ${expires_at}` };
  }
  return { kind: 'wait', until: expires_at };
}
