import type { PaceContext, PaceDocuments } from './context.ts';
import { type PaceEvent, paceEvents } from './events.ts';

const documents: PaceDocuments = {
  story_card: {
    title: 'Pages are counted from one',
    story: 'As a reader I want the first page to be page one',
    acceptance_criteria: ['The first page is page one'],
  },
  handoff: { summary: 'Counted from one', files_changed: ['src/pager.ts'], notes: '' },
  gate_report: {
    criteria_results: [{ criterion: 'The first page is page one', result: 'PASS', evidence: 'pager.test.ts' }],
    blockers: [],
    deferred: [],
    gate_decision: 'SHIP',
    hold_reason: '',
  },
  sentinel_report: { findings: [], advisories: [], blockers: [], sentinel_decision: 'SHIP', hold_reason: '' },
  conduit_report: { findings: [], advisories: [], blockers: [], conduit_decision: 'SHIP', hold_reason: '' },
};

/** How many of the documents are there after which role has had its turn, and before the next has. */
const order = ['prime', 'forge', 'gate', 'sentinel', 'conduit'];

/** What a plugin might be told at an event of a day that ships, with what you say in place of what it has. Made anew each time. */
export function paceSample<E extends PaceEvent>(event: E, changes: Partial<PaceContext<E>> = {}): PaceContext<E> {
  const { on, role } = paceEvents[event];
  const isEnd = on.some((name) => name !== 'run:started' && name.startsWith('run:'));
  const turn = role === null ? (isEnd ? order.length : 0) : order.indexOf(role) + (on[0] === 'turn:submitted' ? 1 : 0);
  const there = Object.entries(documents).slice(0, turn);
  const context = {
    event,
    run_id: 'run-1',
    day: 1,
    attempt: 1,
    story_title: turn === 0 ? null : documents.story_card.title,
    hold_reason: event === 'day_held' ? 'No test for the first page' : null,
    ...structuredClone(Object.fromEntries(there)),
    ...(isEnd ? { day_decision: event === 'day_held' ? 'HOLD' : 'SHIP' } : {}),
    ...changes,
  };
  return context as unknown as PaceContext<E>;
}
