import { measureLatency } from 'patchbay-host/kernel';
import { bytesPerCall, type Candidate, compare, type Effort, four, type Taken } from '../measure.ts';
import { type Goal, goal, type Report, type Row } from '../report.ts';
import { asyncPeers, bodies, handlers, Loop, ours, payload, peers } from './peers.ts';
import { registering } from './registering.ts';
import { wrapped } from './wrappers.ts';

const kinds = ['notify', 'collect', 'first', 'merge', 'waterfall'] as const;
const sizes = [0, 1, 5, 20, 100];

type ByKind = Record<(typeof kinds)[number], (loops: readonly Loop[], input: never) => Candidate>;

/** A call site of its own for each kind: a name in a variable would slow the hand-written loop down. */
const handWritten: ByKind = {
  notify: (loops, input) => (k) => loops[k]?.notify(input),
  collect: (loops, input) => (k) => loops[k]?.collect(input),
  first: (loops, input) => (k) => loops[k]?.first(input),
  merge: (loops, input) => (k) => loops[k]?.merge(input),
  waterfall: (loops, input) => (k) => loops[k]?.waterfall(input),
};
const handWrittenAsync: ByKind = {
  notify: (loops, input) => (k) => loops[k]?.notifyAsync(input),
  collect: (loops, input) => (k) => loops[k]?.collectAsync(input),
  first: (loops, input) => (k) => loops[k]?.firstAsync(input),
  merge: (loops, input) => (k) => loops[k]?.mergeAsync(input),
  waterfall: (loops, input) => (k) => loops[k]?.waterfallAsync(input),
};

function row(name: string, taken: Record<string, Taken>): Row {
  const { ours: own, ...others } = taken;
  const ratios = Object.fromEntries(Object.entries(others).map(([peer, { ratio }]) => [peer, ratio]));
  return {
    case: `${name} (loop ${others['loop']?.ns.toFixed(1)} ns)`,
    ours: own?.ratio ?? Number.NaN,
    unit: 'x loop',
    peers: ratios,
  };
}

export async function run(effort: Effort): Promise<Report> {
  const rows: Row[] = [];
  const goals: Goal[] = [];
  const measure = async (name: string, candidates: Record<string, Candidate>, isAsync = false, inTurn = false) => {
    const taken = await compare(candidates, effort, { isAsync, inTurn });
    rows.push(row(name, taken));
    return (of: string, to = 'loop') => (taken[of]?.ratio ?? Number.NaN) / (taken[to]?.ratio ?? Number.NaN);
  };

  for (const kind of kinds) {
    const input = (kind === 'waterfall' ? 1 : payload) as never;
    for (const n of sizes) {
      const lists = four(() => handlers(n, bodies[kind](n)));
      const loops = lists.map((hs) => new Loop(hs));
      const hooks = lists.map((hs) => ours(kind, hs).hook);
      const plain = lists.map((hs) => ours(kind, hs, { codegen: false }).hook);
      const sampled = lists.map((hs) => {
        const { kernel, hook } = ours(kind, hs);
        measureLatency(kernel, { every: 256 });
        return hook;
      });
      const candidates = {
        loop: handWritten[kind](loops, input),
        ours: (k: number) => hooks[k]?.callSync(input),
        'ours, async-capable': (k: number) => hooks[k]?.call(input),
        'ours, no codegen': (k: number) => plain[k]?.callSync(input),
        'ours, sampled timing': (k: number) => sampled[k]?.callSync(input),
        ...peers(kind, lists, input),
      };
      const ratio = await measure(`sync ${kind} N=${n}`, candidates);
      if (n === 5) await measure(`sync ${kind} N=5, 4 hooks in turn`, candidates, false, true);
      if (n === 5 && kind !== 'merge') {
        goals.push(goal(`sync ${kind} N=5`, kind === 'collect' ? 0.9 : 0.8, ratio('ours')));
        goals.push(goal(`sync ${kind} N=5, async-capable caller`, 1.2, ratio('ours, async-capable')));
        goals.push(goal(`sync ${kind} N=5, sampled timing`, 0.9, ratio('ours, sampled timing')));
        if (kind !== 'collect') {
          goals.push(goal(`sync ${kind} N=5, code generation forbidden`, 1.1, ratio('ours, no codegen')));
          goals.push(goal(`sync ${kind} N=5 vs tapable`, 1, ratio('ours', 'tapable')));
          const bytes = bytesPerCall((k) => hooks[k]?.call(input));
          goals.push(goal(`sync ${kind} N=5, bytes per async-capable call`, 1, bytes));
        }
      }
      if (n === 100 && kind === 'notify') goals.push(goal('sync notify N=100', 0.3, ratio('ours')));
    }
  }

  for (const kind of kinds) {
    const input = (kind === 'waterfall' ? 1 : payload) as never;
    for (const n of sizes) {
      const lists = four(() => handlers(n, bodies[kind](n), true));
      const loops = lists.map((hs) => new Loop(hs));
      const hooks = lists.map((hs) => ours(kind, hs).hook);
      const ratio = await measure(
        `async ${kind} N=${n}`,
        {
          loop: handWrittenAsync[kind](loops, input),
          ours: (k) => hooks[k]?.call(input),
          ...asyncPeers(kind, lists, input),
        },
        true,
      );
      if (n === 5 && kind === 'notify') goals.push(goal('async series with deadlines N=5', 1.1, ratio('ours')));
    }
  }

  const halves = (n: number, handlersAsync: boolean, wrappersAsync: boolean) =>
    measure(
      `2 ${wrappersAsync ? 'async ' : ''}wrappers, ${n} ${handlersAsync ? 'async ' : ''}handlers`,
      wrapped(n, 2, { handlersAsync, wrappersAsync }),
      handlersAsync,
    );
  goals.push(goal('wrappers, sync, N=5', 1.05, (await halves(5, false, false))('ours')));
  goals.push(goal('wrappers around async handlers, N=5', 1.1, (await halves(5, true, false))('ours')));
  await halves(20, true, false);
  await halves(5, true, true);
  goals.push(goal('async wrappers around async handlers, N=20', 1.1, (await halves(20, true, true))('ours')));

  rows.push(...(await apart(effort)));
  const { row: registered, goal: linear } = registering(effort);
  rows.push(registered);
  goals.push(linear);
  return { bench: 'kernel', rows, goals };
}

/** What costs so much that it has a row of its own: freezing, and timing every call. */
async function apart(effort: Effort): Promise<Row[]> {
  const lists = four(() => handlers(5, bodies.notify(5)));
  const loops = lists.map((hs) => new Loop(hs));
  const frozen = lists.map((hs) => ours('notify', hs, { row: { frozen: true } }).hook);
  const timed = lists.map((hs) => {
    const { kernel, hook } = ours('notify', hs);
    measureLatency(kernel, { every: 1 });
    return hook;
  });
  const fresh = () => ({ a: 1, b: { c: [1, 2, 3] }, d: 'x' }) as never;
  const again = { a: 1 } as never;
  const cases: Record<string, Record<string, Candidate>> = {
    'freezing a new payload, notify N=5': {
      loop: (k) => loops[k]?.notify(fresh()),
      ours: (k) => frozen[k]?.callSync(fresh()),
    },
    'a payload frozen before, notify N=5': {
      loop: (k) => loops[k]?.notify(again),
      ours: (k) => frozen[k]?.callSync(again),
    },
    'timing every call, notify N=5': { loop: (k) => loops[k]?.notify(again), ours: (k) => timed[k]?.callSync(again) },
  };
  const rows: Row[] = [];
  for (const [name, candidates] of Object.entries(cases)) rows.push(row(name, await compare(candidates, effort)));
  return rows;
}
