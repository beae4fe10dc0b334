import type { LedgerStore } from '../../packages/host/src/ledger/index.ts';
import { inFolder } from '../deliveries/project.ts';
import { median } from '../measure.ts';
import { talking } from './host.ts';

/** On the way to the core. */
const steps = ['message:received', 'run:started', 'turn:dispatched'] as const;

/** What messages cost. */
export interface Flow {
  /** Milliseconds from taking a message to the core, one message after the other: the median, and one in a hundred is slower. */
  readonly toAgent: number;
  readonly toAgentP99: number;
  /** Milliseconds from taking a message until each step on the way to the core is durable: the medians. */
  readonly steps: Readonly<Record<(typeof steps)[number], number>>;
  /** Milliseconds from taking a message to its answer. */
  readonly toAnswer: number;
  /** Milliseconds of a core's time that a message takes, when many come at once. */
  readonly cpu: number;
  /** Answered in a second, when many come at once. */
  readonly perSecond: number;
}

/** Measures messages over so many workspaces: some one after the other, then many at once. */
export function flow(workspaces: number, single: number, many: number): Promise<Flow> {
  const begun = new Map<string, number>();
  return inFolder((dir) =>
    talking(
      `${dir}/project`,
      workspaces,
      ({ goal }) => begun.set(goal, performance.now()),
      async (host) => {
        const { ledger } = host.service;
        const [toAgent, toAnswer]: [number[], number[]] = [[], []];
        const times = new Map<string, number[]>(steps.map((step) => [step, []]));
        let start = 0;
        const unhear = ledger.on('appended', ({ event }) => times.get(event.type)?.push(performance.now() - start));
        const warmUp = Math.min(100, single);
        for (let i = 0; i < single + warmUp; i++) {
          start = performance.now();
          const answered = answers(ledger, 1);
          await host.say(i % workspaces, `single-${i}`);
          await answered;
          if (i < warmUp) continue;
          toAnswer.push(performance.now() - start);
          toAgent.push((begun.get(`single-${i}`) ?? Number.NaN) - start);
        }
        unhear();
        const before = process.cpuUsage();
        start = performance.now();
        const answered = answers(ledger, many);
        await Promise.all(Array.from({ length: many }, (_, i) => host.say(i % workspaces, `many-${i}`)));
        await answered;
        const ms = performance.now() - start;
        const { user, system } = process.cpuUsage(before);
        return {
          toAgent: median(toAgent),
          toAgentP99: toAgent.toSorted((a, b) => a - b)[Math.floor(toAgent.length * 0.99)] ?? Number.NaN,
          steps: Object.fromEntries(
            steps.map((step) => [step, median(times.get(step)?.slice(warmUp) ?? [])]),
          ) as Flow['steps'],
          toAnswer: median(toAnswer),
          cpu: (user + system) / 1000 / many,
          perSecond: (1000 * many) / ms,
        };
      },
    ),
  );
}

/** Resolves when so many messages were answered. */
function answers(ledger: LedgerStore, count: number): Promise<void> {
  let left = count;
  const { promise, resolve } = Promise.withResolvers<void>();
  const unhear = ledger.on('appended', ({ event }) => {
    if (event.type === 'message:sent') left -= 1;
    if (left === 0) resolve();
  });
  return promise.finally(unhear);
}
