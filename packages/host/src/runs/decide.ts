import { type Advisory, advisoriesOf, holdReasonOf, reasonOf, reviewsOf, wasAdvised } from './reviews.ts';
import { advisedAs, type RunState, type Turn } from './state.ts';
import type { Gate, Phase, Step } from './template/template.ts';
import { votesThatCount } from './votes.ts';

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
  /** A concern of a reviewer is recorded. */
  | { readonly kind: 'advise'; readonly turn: Turn; readonly advisory: Advisory }
  /** A review that failed counts as one that holds the work. */
  | { readonly kind: 'stand-in'; readonly turn: Turn }
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

/** What a run has used up of what it may use, if anything. */
export function exhausted({ template: { limits }, cost, started_at }: RunState, now: Date): string | undefined {
  const tokens = cost.input_tokens + cost.output_tokens;
  const used = (budget: string, figure: number) => `the budget of ${budget} is used up (${Number(figure.toFixed(6))})`;
  if (limits.usd !== null && cost.usd >= limits.usd) return used(`${limits.usd} USD`, cost.usd);
  if (limits.tokens !== null && tokens >= limits.tokens) return used(`${limits.tokens} tokens`, tokens);
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
    const held = turn.state === 'rejected' ? holdReasonOf(state, turn) : null;
    if (held !== null) return { kind: 'hold', reason: held };
    return { kind: 'hold', reason: `turn ${turn.turn_id} (${turn.role}) was tried ${attempts} times: ${why}` };
  }
  const { turn_id, role, attempt } = turn;
  return { kind: 'dispatch', step, role, attempt: attempt + 1, turn_id, reviews: null };
}

/** The reviewers one after the other, then what they come to. */
function judging(state: RunState, step: Step, turn: Turn): Action {
  const { advisory, crash } = state.template.reviews;
  const reviews = reviewsOf(state, turn);
  for (const role of step.reviewers) {
    const review = reviews.find((one) => one.role === role);
    if (review === undefined) {
      const turn_id = `${turn.turn_id}.${turn.attempt}.${role}`;
      return { kind: 'dispatch', step, role, attempt: 1, turn_id, reviews: turn };
    }
    if (review.state === 'dispatched') return { kind: 'work', turn: review };
    if (review.state === 'submitted') return { kind: 'accept', turn: review };
    if (review.state === 'failed' && crash === 'hold') return { kind: 'stand-in', turn: review };
    if (review.state !== 'accepted') {
      const next = again(state, step, review);
      return next.kind === 'dispatch' ? { ...next, reviews: turn } : next;
    }
    if (review.result?.status === 'rejected') return rejection(state, turn, role, review);
    const unrecorded = advisory === 'record' ? advised(state, review) : undefined;
    if (unrecorded !== undefined) return unrecorded;
  }
  const { attempts } = state.template.limits;
  const maySendBack = advisory === 'retry-once' && turn.attempt < attempts && !wasAdvised(state, turn);
  return (
    (maySendBack ? sentBack(state, turn, reviews) : undefined) ??
    reviews.map((review) => advised(state, review)).find((action) => action !== undefined) ?? { kind: 'accept', turn }
  );
}

/** The next concern of a review that is to be recorded. */
function advised(state: RunState, review: Turn): Action | undefined {
  const isNew = ({ id }: Advisory) => !state.advised.includes(advisedAs(review.turn_id, id));
  const advisory = advisoriesOf(state, review).find(isNew);
  return advisory === undefined ? undefined : { kind: 'advise', turn: review, advisory };
}

/** Whoever works gets one more attempt for all concerns that the reviewers have; undefined if they have none. */
function sentBack(state: RunState, turn: Turn, reviews: readonly Turn[]): Action | undefined {
  const concerned = reviews.filter((review) => advisoriesOf(state, review).length > 0);
  if (concerned.length === 0) return undefined;
  const by = concerned.map(({ role }) => role).join(', ');
  const reason = concerned.flatMap((review) => toldIn(state, review)).join('; ');
  return { kind: 'reject', turn, by, reason, errors: [], next: turn.attempt + 1 };
}

function toldIn(state: RunState, review: Turn): string[] {
  return advisoriesOf(state, review).map(({ text }) => `ADVISORY: ${text}`);
}

function rejection(state: RunState, turn: Turn, by: string, review: Turn): Action {
  const { attempts } = state.template.limits;
  const objections = (review.result?.objections ?? []).map(({ id, statement }) => `${id}: ${statement}`);
  const isTold = state.template.reviews.advisory === 'retry-once';
  const concerns = isTold ? reviewsOf(state, turn).flatMap((other) => toldIn(state, other)) : [];
  const next = turn.attempt < attempts ? turn.attempt + 1 : null;
  return { kind: 'reject', turn, by, reason: reasonOf(review), errors: [...objections, ...concerns], next };
}

function atGate(state: RunState, now: Date): Action {
  const standing = state.gate as NonNullable<RunState['gate']>;
  if (state.asking?.event === 'gate:pending') return { kind: 'ask' };
  const gate = state.template.gates[standing.name] as Gate;
  const phase = state.template.phases.find(({ name }) => name === standing.phase) as Phase;
  const votes = votesThatCount(standing, gate.approval);
  const refusal = votes.find(({ decision }) => decision === 'refused');
  if (refusal !== undefined) {
    const why = refusal.comment === null ? '' : `: ${refusal.comment}`;
    return { kind: 'hold', reason: `${refusal.by} refused gate "${gate.name}"${why}` };
  }
  if (standing.approval === null) return { kind: 'examine', gate, phase };
  const { expires_at } = standing.approval;
  const approvals = votes.filter(({ decision }) => decision === 'approved');
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
