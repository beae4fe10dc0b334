import type { Effort } from '../measure.ts';
import { goal, type Report } from '../report.ts';
import { flow } from './flow.ts';
import { idling } from './idle.ts';

/** What a message costs beside what its agent does, and what workspaces cost that nobody talks with. */
export async function run({ rounds }: Effort): Promise<Report> {
  const isQuick = rounds < 10;
  const idleMs = isQuick ? 3000 : 30_000;
  const idle = 500;
  const flowing = await flow(100, isQuick ? 20 : 500, isQuick ? 100 : 5000);
  const none = await idling(1, idleMs);
  const many = await idling(idle, idleMs);
  const row = (what: string, unit: string, ours: number, peers = {}) => ({ case: what, unit, ours, peers });
  return {
    bench: 'messages',
    rows: [
      row('from a message to its agent', 'ms', flowing.toAgent, { 'one in a hundred': flowing.toAgentP99 }),
      row('until it is stored', 'ms', flowing.steps['message:received']),
      row('until its run has begun', 'ms', flowing.steps['run:started']),
      row('until its turn is dispatched', 'ms', flowing.steps['turn:dispatched']),
      row('from a message to its answer', 'ms', flowing.toAnswer),
      row('a message of many at once, over 100 workspaces', 'ms of a core', flowing.cpu),
      row('messages answered, many at once', '1/s', flowing.perSecond),
      row(`host with ${idle} idle workspaces`, '% of a core', 100 * many.share, { 'with one': 100 * none.share }),
      row(`host with ${idle} idle workspaces`, 'MB in use', many.megabytes, { 'with one': none.megabytes }),
    ],
    goals: [
      goal('ms from a message to its agent', 50, flowing.toAgent),
      goal('ms of a core that a message takes', 10, flowing.cpu),
      goal(`% of a core that ${idle} idle workspaces take`, 1, 100 * many.share),
    ],
  };
}
