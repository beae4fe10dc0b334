import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inFolder, write } from '../deliveries/project.ts';
import { ratioOf, sideBySide, type Taken, typical } from '../deliveries/side-by-side.ts';
import { type Effort, median } from '../measure.ts';
import { goal, type Report } from '../report.ts';
import type { Order } from './load.ts';
import { Wrk } from './wrk.ts';

const names = ['durable', 'bare', 'verified', 'byHand', 'python', 'tuned'] as const;

/** Servers that are asked side by side, by name. */
type Ports = Readonly<Record<(typeof names)[number], number>>;

function forked(name: string, ...args: string[]): ChildProcess {
  return fork(join(import.meta.dirname, name), args, { execArgv: process.execArgv });
}

/** A Python server that parses and stores nothing; the port it prints. */
async function python(started: ChildProcess[], ...args: string[]): Promise<number> {
  const script = join(import.meta.dirname, 'bare_server.py');
  const child = spawn('python3', [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const failed = once(child, 'error').then(([error]) => {
    throw new Error('python3 is needed for this benchmark (apt-get install python3-minimal)', { cause: error });
  });
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed])) as [string];
  return Number(line);
}

async function serving<T>(dir: string, act: (ports: Ports, load: ChildProcess) => Promise<T>): Promise<T> {
  const started: ChildProcess[] = [];
  const portOf = async (child: ChildProcess) => {
    started.push(child);
    const [port] = (await once(child, 'message')) as [number];
    return port;
  };
  try {
    const load = forked('load.ts');
    started.push(load);
    const durable = await portOf(forked('durable-server.ts', dir));
    const bare = await portOf(forked('bare-server.ts'));
    const verified = await portOf(forked('by-hand-server.ts'));
    const byHand = await portOf(forked('by-hand-server.ts', dir));
    const [plain, tuned] = [await python(started), await python(started, 'tuned')];
    return await act({ durable, bare, verified, byHand, python: plain, tuned }, load);
  } finally {
    const ended = started.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit'));
    for (const child of started) child.channel == null ? child.kill() : child.disconnect();
    await Promise.all(ended);
  }
}

/** How long a thousand requests take, in milliseconds. */
const aThousand = (perSecond: number) => 1e6 / perSecond;

/**
 * Requests that are verified, stored and handled, beside the same library that only reads them, that verifies them, that does the
 * least to store them as well, and beside Python's; sent by `wrk`. Then once more ours and the library, by a client that is never idle:
 * a server that answers each request at once does not have to wake that one.
 */
export async function run({ rounds }: Effort): Promise<Report> {
  const isQuick = rounds < 10;
  const count = isQuick ? 500 : 4000;
  const p99s = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  const [taken, busy] = await inFolder((dir) => {
    write(dir, { 'patchbay.yaml': '' });
    const wrk = new Wrk(dir);
    return serving(dir, async (ports, load) => {
      const byWrk = (name: keyof Ports) => async () => {
        const { perSecond, p99 } = await wrk.send(ports[name]);
        p99s[name]?.push(p99);
        return aThousand(perSecond);
      };
      const byBusy = (name: keyof Ports) => async () => {
        load.send({ port: ports[name], count } satisfies Order);
        const [ms] = (await once(load, 'message')) as [number];
        return (1000 * ms) / count;
      };
      const asking = (way: typeof byWrk, all: readonly (keyof Ports)[]) =>
        sideBySide(Object.fromEntries(all.map((name) => [name, way(name)])), isQuick ? 1 : 9, isQuick ? 1 : 2);
      return [await asking(byWrk, names), await asking(byBusy, ['durable', 'bare'])];
    });
  });
  const perSecond = (of: Taken, name: string) => aThousand(typical(of, name));
  const peers = (of: (name: string) => number) => {
    return {
      hono: of('bare'),
      'that verifies': of('verified'),
      'and stores': of('byHand'),
      'Python http.server': of('python'),
      'the same, tuned': of('tuned'),
    };
  };
  const p99 = (name: string) => median(p99s[name] ?? []);
  return {
    bench: 'webhooks',
    rows: [
      {
        case: 'requests over 64 connections: verified, durable, handled',
        unit: '1/s',
        ours: perSecond(taken, 'durable'),
        peers: peers((name) => perSecond(taken, name)),
      },
      {
        case: 'p99 of how long one waits',
        unit: 'ms',
        ours: p99('durable'),
        peers: peers(p99),
      },
      {
        case: 'requests by a client that is never idle',
        unit: '1/s',
        ours: perSecond(busy, 'durable'),
        peers: { hono: perSecond(busy, 'bare') },
      },
    ],
    goals: [
      goal('time for a durable request vs hono without storage', 2, ratioOf(taken, 'durable', 'bare')),
      goal(
        'time for a durable request vs http.server of Python without storage',
        1 / 3,
        ratioOf(taken, 'durable', 'python'),
      ),
    ],
  };
}
