import type { Effort } from '../measure.ts';
import { goal, type Report, type Row } from '../report.ts';
import * as http from './http.ts';
import * as isolated from './isolated.ts';
import { type Latencies, latencies } from './neighbour.ts';
import * as scripts from './scripts.ts';
import { percentile, ratioOf, type Taken, typical } from './side-by-side.ts';
import { ofBigHost } from './stall.ts';
import { withFourSubscribers } from './throughput.ts';

/** As long as others wait for a plugin that comes before them, and a little. */
const patienceMs = 1500;

function row(what: string, taken: Taken, of: string, to: string): Row {
  return {
    case: what,
    unit: 'ms',
    ours: typical(taken, of),
    peers: { floor: typical(taken, to), ratio: ratioOf(taken, of, to) },
  };
}

function neighbourRows(found: Readonly<Record<string, Latencies>>): Row[] {
  return Object.entries(found).flatMap(([company, { steady, worst }]) => [
    { case: `delivery to a plugin ${company}, p50`, unit: 'ms', ours: percentile(steady, 0.5), peers: {} },
    { case: `delivery to a plugin ${company}, p99`, unit: 'ms', ours: percentile(steady, 0.99), peers: { worst } },
  ]);
}

/** What it costs to have handlers that can do no harm: beside the same work done bare, and beside hostile plugins. */
export async function run({ rounds }: Effort): Promise<Report> {
  const isQuick = rounds < 10;
  const sizes = [1000, isQuick ? 5000 : 100_000] as const;
  const script = await scripts.beside(isQuick ? 3 : 301);
  const ledger = await scripts.inLedgersOf(sizes, isQuick ? 2 : 101);
  const web = await http.beside(rounds);
  const module = await isolated.beside(isQuick ? 1 : 11);
  const stalled = await ofBigHost(isQuick ? 3 : rounds);
  const found = await latencies(isQuick ? 0 : patienceMs, isQuick ? 200 : 5000);
  const flood = isQuick ? 200 : 2000;
  const flow = await withFourSubscribers(isQuick ? 1 : 11, flood);
  const p99 = (company: string) => percentile(found[company]?.steady ?? [], 0.99);
  const beside = (company: string) => p99(`beside a ${company}`) / p99('alone');
  const perSecond = (what: string) => (1000 * flood) / typical(flow, what);
  return {
    bench: 'deliveries',
    rows: [
      row('script hook vs the same script just started', script, 'ours', 'bare'),
      row(`event to script in a ledger of ${sizes[1]} vs of ${sizes[0]}`, ledger, 'large', 'small'),
      row('HTTP hook vs a request on the same pool', web, 'ours', 'request'),
      row("HTTP hook vs Node's fetch", web, 'ours', 'fetch'),
      row('isolated module call vs starting Node', module, 'alone', 'node'),
      row(`the same, ${isolated.atOnce} at once, for each`, module, 'at once', 'node at once'),
      row('isolated module call vs starting Node with no runner', module, 'alone', 'least'),
      row(`the same, ${isolated.atOnce} at once, for each`, module, 'at once', 'least at once'),
      row('stall of a host of +512 MB by starting a script vs directly', stalled, 'ours', 'direct'),
      ...neighbourRows(found),
      {
        case: 'events that 4 plugins were told of, all written down',
        unit: '1/s',
        ours: perSecond('settled'),
        peers: { durable: perSecond('durable') },
      },
    ],
    goals: [
      goal('script hook vs a bare start of it in the same kind of namespace', 1.25, ratioOf(script, 'ours', 'bare')),
      goal(`event to script in a ledger of ${sizes[1]} vs of ${sizes[0]}`, 1.2, ratioOf(ledger, 'large', 'small')),
      goal('HTTP hook vs a bare request on the same pool', 1.5, ratioOf(web, 'ours', 'request')),
      goal('isolated module call vs starting Node for it', 1 / 500, ratioOf(module, 'alone', 'node')),
      goal(
        `isolated module call vs starting Node for it, ${isolated.atOnce} at once`,
        1 / 500,
        ratioOf(module, 'at once', 'node at once'),
      ),
      goal('p99 of a neighbour beside a hanging script vs alone', 5, beside('hanging script')),
      goal('p99 of a neighbour beside a flooding script vs alone', 5, beside('flooding script')),
    ],
  };
}
