import { createHash } from 'node:crypto';
import { holding } from '../day/documents.ts';
import type { RunState, Turn, TurnResult } from './state.ts';
import type { Role } from './template/template.ts';

/** A concern of a reviewer that stops nothing. */
export interface Advisory {
  /** The same for the same concern of the same reviewer, in whichever run it is raised. */
  readonly id: string;
  readonly text: string;
}

/** The turns that judge a turn, in its present attempt. */
export function reviewsOf({ turns }: RunState, { turn_id, attempt }: Turn): readonly Turn[] {
  return turns.filter(({ reviews }) => reviews?.turn_id === turn_id && reviews.attempt === attempt);
}

/** Why a reviewer is not content: the reason that its report gives, or else its summary. */
export function reasonOf({ result }: Turn): string {
  const reason = result?.report?.['hold_reason'];
  return typeof reason === 'string' && reason !== '' ? reason : (result?.summary ?? 'rejected');
}

/** The reason that a report gave for holding a turn when it was last judged; null if no report did. */
export function holdReasonOf({ turns }: RunState, { turn_id }: Turn): string | null {
  const all = turns.filter(({ reviews }) => reviews?.turn_id === turn_id);
  const last = Math.max(...all.map(({ reviews }) => reviews?.attempt ?? 0));
  const review = all.find(({ reviews, result }) => reviews?.attempt === last && result?.status === 'rejected');
  return review?.result?.report?.['hold_reason'] === undefined ? null : reasonOf(review);
}

/** What a review raises and nobody has cleared. */
export function advisoriesOf({ inputs }: RunState, { role, result }: Turn): readonly Advisory[] {
  if (result?.status !== 'advisory') return [];
  const listed = result.report?.['advisories'];
  const texts = Array.isArray(listed) && listed.length > 0 ? listed.map(String) : [result.summary];
  const cleared = Array.isArray(inputs['cleared']) ? (inputs['cleared'] as { id?: unknown }[]) : [];
  return [...new Set(texts)]
    .map((text) => ({ id: advisoryId(role, text), text }))
    .filter(({ id }) => !cleared.some((one) => one?.id === id));
}

/** What a concern is known by. A line that has moved does not make it another one. */
export function advisoryId(by: string, text: string): string {
  const place = text.replaceAll(/:\d+(?=[:\s)]|$)/g, '');
  return `adv-${createHash('sha256').update(`${by}\n${place}`).digest('hex').slice(0, 8)}`;
}

/** Whether whoever works on a turn was told of a concern before: there is one attempt to see to them all. */
export function wasAdvised(state: RunState, { turn_id, attempt }: Turn): boolean {
  return state.turns.some(
    (one) => one.reviews?.turn_id === turn_id && one.reviews.attempt < attempt && advisoriesOf(state, one).length > 0,
  );
}

/** What counts as the result of a reviewer that gave none: it holds the work. */
export function standIn({ title, report }: Role, { feedback }: Turn): TurnResult {
  const reason = `${title} crashed: ${feedback.join('; ')}`;
  return {
    status: 'rejected',
    summary: reason,
    decisions: [],
    objections: [],
    files_changed: [],
    verification: { status: 'skipped', commands: [], machine_evidence: [] },
    artifact: null,
    report: report === null ? null : holding(report, reason),
    proposed_next_role: null,
    cost: { input_tokens: 0, output_tokens: 0, usd: 0 },
  };
}
