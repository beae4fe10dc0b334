import { ratioOf, typical } from '../deliveries/side-by-side.ts';
import type { Effort } from '../measure.ts';
import { goal, type Report } from '../report.ts';
import { listeners } from './host.ts';
import { besideItsAppends, inLedgersOf, runsPerSecond, turns } from './overhead.ts';
import { withWaiting } from './waiting.ts';
import { costsOfTurns } from './workspace.ts';

/** What it costs to govern a run: the engine by itself, beside what it writes down; and apart from it, what a workspace costs. */
export async function run({ rounds }: Effort): Promise<Report> {
  const isQuick = rounds < 10;
  const sizes = [10, isQuick ? 500 : 10_000] as const;
  const waiting = 1000;
  const watchedMs = isQuick ? 3000 : 30_000;
  const alone = await besideItsAppends(rounds, []);
  const told = await besideItsAppends(rounds, listeners);
  const grown = await inLedgersOf(sizes, rounds, listeners);
  const perSecond = await runsPerSecond(isQuick ? 100 : 2000, listeners);
  const costs = await costsOfTurns(isQuick ? 2 : 15);
  const { none, begun, found } = await withWaiting(waiting, watchedMs);
  const perTurn = (taken: typeof told, name: string) => typical(taken, name) / turns;
  const overhead = (what: string, taken: typeof told) => ({
    case: what,
    unit: 'ms',
    ours: perTurn(taken, 'engine'),
    peers: {
      appends: perTurn(taken, 'appends'),
      writes: perTurn(taken, 'writes'),
      ratio: ratioOf(taken, 'engine', 'appends'),
    },
  });
  return {
    bench: 'runs',
    rows: [
      overhead('turn of a run, nobody listens', alone),
      overhead('turn of a run, 3 plugins are asked and told', told),
      { case: 'runs of one turn, many at once, 3 plugins told', unit: '1/s', ours: perSecond, peers: {} },
      {
        case: `run of 5 turns in a ledger of ${sizes[1]} runs`,
        unit: 'ms',
        ours: typical(grown, 'large'),
        peers: { [`of ${sizes[0]}`]: typical(grown, 'small'), ratio: ratioOf(grown, 'large', 'small') },
      },
      ...Object.keys(costs).map((name) => ({ case: name, unit: 'ms', ours: typical(costs, name), peers: {} })),
      {
        case: `host with ${waiting} waiting runs`,
        unit: '% of a core',
        ours: 100 * found.share,
        peers: { 'with none': 100 * none.share },
      },
      {
        case: `host with ${waiting} waiting runs`,
        unit: 'MB',
        ours: found.megabytes,
        peers: { 'with none': none.megabytes, 'having begun them': begun.megabytes },
      },
      {
        case: `held by a host that has begun ${waiting} runs, which wait`,
        unit: 'MB',
        ours: begun.heldMegabytes,
        peers: { 'with one': none.heldMegabytes },
      },
    ],
    goals: [
      goal(
        'turn of a run that 3 plugins are told of vs the durable appends it makes',
        3,
        ratioOf(told, 'engine', 'appends'),
      ),
      goal(`run in a ledger of ${sizes[1]} finished runs vs of ${sizes[0]}`, 1.3, ratioOf(grown, 'large', 'small')),
      goal(`% of a core that ${waiting} waiting runs take`, 1, 100 * found.share),
      goal(`MB that ${waiting} waiting runs take`, 50, found.megabytes - none.megabytes),
    ],
  };
}
