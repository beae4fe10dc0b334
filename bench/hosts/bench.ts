import { PostgresServer, postgresPrograms } from '../../test/postgres.ts';
import { ratioOf, type Taken, typical } from '../deliveries/side-by-side.ts';
import type { Effort } from '../measure.ts';
import { type Goal, goal, type Report, type Row } from '../report.ts';
import { type Rate, rate } from './rate.ts';
import { dbos, ours, type Side } from './side.ts';
import { idling } from './waiting.ts';

/** What is compared, by name. */
const sides: Readonly<Record<string, Side>> = {
  engine: ours('engine'),
  folder: ours('folder'),
  DBOS: dbos,
  repository: ours('repository'),
};
/** Of the agent that takes its time. */
const agentMs = 300;
/** A turn is dispatched, submitted and accepted, each durable before the next begins: what DBOS takes three steps for. */
const stepsPerTurn = 3;

interface Plan {
  readonly rounds: number;
  readonly hosts: readonly number[];
  /** How long each is looked at. */
  readonly ms: number;
  readonly sides: readonly string[];
  readonly waiting: number;
  readonly waitingMs: number;
}

const thorough: Plan = {
  ...{ rounds: 3, hosts: [1, 2, 4], ms: 8000, sides: ['engine', 'DBOS', 'folder', 'repository'] },
  ...{ waiting: 10_000, waitingMs: 30_000 },
};
const quick: Plan = {
  ...{ rounds: 1, hosts: [1, 2], ms: 500, sides: ['engine', 'DBOS'] },
  ...{ waiting: 20, waitingMs: 1000 },
};

/** What several hosts on one database get done, beside processes of DBOS on the same server, and what they cost at rest. */
export async function run({ rounds }: Effort): Promise<Report> {
  if (postgresPrograms() === undefined) return { bench: 'hosts', rows: [], goals: [] };
  const plan = rounds < 10 ? quick : thorough;
  const server = await PostgresServer.start();
  try {
    const scaling = await scales(server, plan);
    const costs = await costsOf(server, plan);
    const waiting = await waits(server, plan);
    return {
      bench: 'hosts',
      rows: [...scaling.rows, ...costs.rows, ...waiting.rows],
      goals: [...scaling.goals, ...costs.goals, ...waiting.goals],
    };
  } finally {
    await server.remove();
  }
}

type Part = Pick<Report, 'rows' | 'goals'>;

/** Turns in a second with more and more hosts, for an agent that takes its time. */
async function scales(server: PostgresServer, { rounds, hosts, ms, sides: names }: Plan): Promise<Part> {
  const all: Record<string, Rate[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      for (const n of hosts) {
        // Git takes so much of a core that more of them only get into each other's way.
        if (name === 'repository' && n > 1) continue;
        // Runs of 5 turns: half as many again as could be carried out by then.
        const runs = Math.ceil((1.5 * n * 4 * (ms + 5000)) / agentMs / 5);
        const one = await rate(server, sideOf(name), n, { runs, turns: 5, ms: agentMs }, ms);
        all[`${name} ${n}`] = [...(all[`${name} ${n}`] ?? []), one];
      }
    }
  }
  const perTurn: Taken = Object.fromEntries(
    Object.entries(all).map(([key, rates]) => [key, rates.map(({ perSecond }) => 1000 / perSecond)]),
  );
  const perSecond = (name: string, n: number) => 1000 / typical(perTurn, `${name} ${n}`);
  const cpu = (name: string, n: number) => typical({ it: all[`${name} ${n}`]?.map((one) => one.cpu) ?? [] }, 'it');
  const others = (of: (name: string) => number) =>
    Object.fromEntries(
      names
        .slice(1)
        .map((name): [string, number] => [name, of(name)])
        .filter(([, figure]) => !Number.isNaN(figure)),
    );
  const [first = ''] = names;
  const rows = hosts.flatMap((n): Row[] => [
    {
      case: `turns of ${agentMs} ms, ${n} host${n === 1 ? '' : 's'} with 4 runs at once`,
      unit: '1/s',
      ours: perSecond(first, n),
      peers: others((name) => perSecond(name, n)),
    },
    { case: 'each takes', unit: 'ms of a core', ours: cpu(first, n), peers: others((name) => cpu(name, n)) },
  ]);
  const goals = [
    [2, 1.8],
    [4, 3.4],
  ].flatMap(([n = 0, least = 0]): Goal[] => {
    const what = `time for a turn of ${agentMs} ms, ${n} hosts vs 1`;
    return hosts.includes(n) ? [goal(what, 1 / least, ratioOf(perTurn, `${first} ${n}`, `${first} 1`))] : [];
  });
  return { rows, goals };
}

/** What a turn costs whose agent does nothing, beside steps of DBOS. */
async function costsOf(server: PostgresServer, { rounds, ms }: Plan): Promise<Part> {
  const taken = { turn: [] as number[], step: [] as number[], turnCpu: [] as number[], stepCpu: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const work = { runs: Math.ceil(ms / 8), turns: 20, ms: 0 };
    const turn = await rate(server, sideOf('engine'), 2, work, ms);
    const step = await rate(server, sideOf('DBOS'), 2, { ...work, turns: stepsPerTurn * work.turns }, ms);
    taken.turn.push(1000 / turn.perSecond);
    taken.step.push(1000 / step.perSecond);
    taken.turnCpu.push(turn.cpu);
    taken.stepCpu.push(step.cpu);
  }
  const row = (unit: string, turn: 'turn' | 'turnCpu', step: 'step' | 'stepCpu'): Row => {
    const one = ratioOf(taken, turn, step);
    const steps = { 'a step of DBOS': typical(taken, step), ratio: one, 'to three steps': one / stepsPerTurn };
    return { case: 'turn of an agent that does nothing, 2 hosts', unit, ours: typical(taken, turn), peers: steps };
  };
  return {
    rows: [row('ms', 'turn', 'step'), row('ms of a core', 'turnCpu', 'stepCpu')],
    goals: [
      goal('time for a turn vs a step of DBOS', 2, ratioOf(taken, 'turn', 'step')),
      goal('core time for a turn vs a step of DBOS', 2, ratioOf(taken, 'turnCpu', 'stepCpu')),
    ],
  };
}

/** What runs cost that wait. */
async function waits(server: PostgresServer, { waiting, waitingMs }: Plan): Promise<Part> {
  const hosts = 2;
  const none = await idling(server, hosts, 0, waitingMs);
  const many = await idling(server, hosts, waiting, waitingMs);
  const row = (who: string, of: 'hosts' | 'database'): Row => {
    const [share, without] = [100 * many[of], 100 * none[of]];
    return {
      case: `${who}, ${waiting} waiting runs`,
      unit: '% of a core',
      ours: share,
      peers: { 'with one': without },
    };
  };
  const all = 100 * (many.hosts + many.database);
  return {
    rows: [row('2 hosts', 'hosts'), row('PostgreSQL', 'database')],
    goals: [goal(`% of a core that ${waiting} waiting runs take, hosts and database`, 2, all)],
  };
}

function sideOf(name: string): Side {
  const side = sides[name];
  if (side === undefined) throw new Error(`there is no side ${name}`);
  return side;
}
