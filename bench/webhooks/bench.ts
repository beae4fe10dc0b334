import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inFolder, write } from '../deliveries/project.ts';
import { percentile, ratioOf, sideBySide, typical } from '../deliveries/side-by-side.ts';
import type { Effort } from '../measure.ts';
import { goal, type Report } from '../report.ts';
import type { Order, Sent } from './load.ts';

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

/**
 * Requests that are verified, stored and handled, beside the same library that only reads them, that verifies them, that does the
 * least to store them as well, and beside Python's.
 */
export async function run({ rounds }: Effort): Promise<Report> {
  const isQuick = rounds < 10;
  const count = isQuick ? 500 : 4000;
  const waited = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  const taken = await inFolder((dir) => {
    write(dir, { 'patchbay.yaml': '' });
    return serving(dir, (ports, load) => {
      const asking = (name: keyof Ports) => async () => {
        load.send({ port: ports[name], count } satisfies Order);
        const [sent] = (await once(load, 'message')) as [Sent];
        waited[name]?.push(...sent.waited);
        return sent.ms;
      };
      return sideBySide(Object.fromEntries(names.map((name) => [name, asking(name)])), isQuick ? 2 : 15, 2);
    });
  });
  const perSecond = (name: string) => (1000 * count) / typical(taken, name);
  const p99 = (name: string) => percentile(waited[name] ?? [], 0.99);
  const peers = (of: (name: string) => number) => {
    return {
      hono: of('bare'),
      'that verifies': of('verified'),
      'and stores': of('byHand'),
      'Python http.server': of('python'),
      'the same, tuned': of('tuned'),
    };
  };
  return {
    bench: 'webhooks',
    rows: [
      {
        case: 'requests over 64 connections: verified, durable, handled',
        unit: '1/s',
        ours: perSecond('durable'),
        peers: peers(perSecond),
      },
      {
        case: 'p99 of how long one waits',
        unit: 'ms',
        ours: p99('durable'),
        peers: peers(p99),
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
