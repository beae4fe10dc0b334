import type { EventPayload } from 'patchbay-sdk';
import type { AnyPayload } from '../../ledger/index.ts';

type Document = Readonly<Record<string, unknown>>;
type TurnResult = EventPayload<'turn:submitted'>['result'];

/** What is known of a day after an event: what plugins are told of it. Keys are as they are told. */
export interface DayTold {
  readonly day: number | null;
  readonly attempt: number;
  readonly story_title: string | null;
  readonly hold_reason: string | null;
  readonly story_card?: Document;
  readonly handoff?: Document;
  readonly gate_report?: Document;
  readonly sentinel_report?: Document;
  readonly conduit_report?: Document;
  readonly day_decision?: 'SHIP' | 'HOLD';
}

/** Before anything is known. */
export const unknownDay: DayTold = { day: null, attempt: 1, story_title: null, hold_reason: null };

const reviewers: readonly unknown[] = ['gate', 'sentinel', 'conduit'];

/** The day after one more event. What `before` is not changed by gives it back as it is. */
export function dayAfter(before: DayTold, payload: AnyPayload): DayTold {
  switch (payload.event) {
    case 'run:started': {
      const { day } = (payload.config_summary['inputs'] ?? {}) as { day?: unknown };
      const { day_decision: _, ...told } = before;
      return { ...told, day: typeof day === 'number' ? day : before.day, attempt: 1 };
    }
    case 'turn:dispatched':
      return payload.role === 'forge' ? { ...before, attempt: payload.attempt ?? 1 } : before;
    case 'turn:submitted':
      return submitted(before, payload.role, payload.result);
    case 'turn:rejected':
      return payload.role === 'forge' ? { ...before, hold_reason: payload.reason } : before;
    case 'turn:failed':
      return payload.role === 'forge' ? { ...before, hold_reason: payload.error.message } : before;
    case 'run:completed':
      return { ...before, hold_reason: null, day_decision: 'SHIP' };
    case 'run:held':
    case 'run:failed':
    case 'run:aborted':
      return { ...before, hold_reason: payload.reason ?? before.hold_reason, day_decision: 'HOLD' };
    default:
      return before;
  }
}

/** A new document takes those away that were about the one before it. */
function submitted(before: DayTold, role: string | null, result: TurnResult): DayTold {
  const { day, attempt, story_title, story_card } = before;
  if (role === 'prime') {
    const card = result.report ?? { title: result.summary };
    return { day, attempt, story_title: titleOf(card, result), hold_reason: null, story_card: card };
  }
  if (role === 'forge') {
    const handoff = result.report ?? { summary: result.summary, files_changed: result.files_changed, notes: '' };
    const story = story_card === undefined ? {} : { story_card };
    return { day, attempt, story_title, hold_reason: null, ...story, handoff };
  }
  if (!reviewers.includes(role)) return before;
  const report = result.report ?? derived(role as string, result);
  const held = decisionOf(role as string, report) === 'HOLD';
  const reason = report['hold_reason'];
  const told = typeof reason === 'string' && reason !== '' ? reason : result.summary;
  return { ...before, [`${role}_report`]: report, hold_reason: held ? told : before.hold_reason };
}

function titleOf(card: Document, { summary }: TurnResult): string {
  const title = card['title'] ?? card['story_title'] ?? card['story'];
  return typeof title === 'string' && title !== '' ? title : summary;
}

/** What a reviewer decided, by its report. */
export function decisionOf(role: string, report: Document): unknown {
  return report[`${role}_decision`];
}

/** The report of a reviewer that gave none, from what its result says. */
function derived(role: string, { status, summary, objections }: TurnResult): Document {
  const decision = status === 'rejected' ? 'HOLD' : status === 'advisory' ? 'ADVISORY' : 'SHIP';
  const statements = objections.map(({ statement }) => statement);
  const held = decision === 'HOLD';
  return {
    ...(role === 'gate' ? { criteria_results: [], deferred: [] } : { findings: [] }),
    ...(role === 'gate' ? {} : { advisories: decision === 'ADVISORY' ? statements : [] }),
    blockers: held ? statements : [],
    [`${role}_decision`]: decision,
    hold_reason: held ? summary : '',
  };
}
