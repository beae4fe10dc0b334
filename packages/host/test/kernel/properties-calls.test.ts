import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newRecord, type Scope } from '../../src/kernel/index.ts';
import { errorOf, type Seen, Stage, type Tier, tiers, turn } from './fixture.ts';
import { type Actor, actors, play } from './model.ts';

const numRuns = 250;
const kinds = ['notify', 'collect', 'first', 'merge', 'waterfall'] as const;
type Kind = (typeof kinds)[number];

/** Does what an actor is to do. */
function act({ mode }: Actor, answer: () => unknown): unknown {
  switch (mode) {
    case 'answer':
      return answer();
    case 'later':
      return Promise.resolve().then(answer);
    case 'null':
      return null;
    case 'null later':
      return Promise.resolve(null);
    case 'throw':
      throw new Error('thrown');
    case 'reject':
      return Promise.reject(new Error('rejected'));
    default:
      return undefined;
  }
}

/** A stage on which actors `p0`, `p1`, … stand, each answering as the kind of the hook wants it. */
function cast(kind: Kind, all: readonly Actor[], tier: Tier): Stage {
  const stage = new Stage(tier);
  all.forEach((actor, n) => {
    const answer = (payload: { path: number[] }) => {
      if (kind === 'merge') return { [`k${n}`]: n, shared: n };
      return kind === 'waterfall' ? { path: [...payload.path, n] } : { n };
    };
    const run = (payload: { path: number[] }) => {
      stage.log.push(`p${n}`);
      return act(actor, () => answer(payload));
    };
    const one = (payload: { path: number[] }) => run(payload);
    const two = (payload: { path: number[] }, context: { plugin: string }) => {
      expect(context.plugin).toBe(`p${n}`);
      return run(payload);
    };
    stage.add(`p${n}`, kind, actor.context ? two : one);
  });
  return stage;
}

/** What can be seen of one call. */
async function observe(stage: Stage, call: () => unknown) {
  stage.log.length = 0;
  stage.failures.length = 0;
  const result = await call();
  return { called: [...stage.log], failed: stage.failures.map(({ plugin }) => plugin), result };
}

describe.each(kinds)('for all handlers of a %s hook', (kind) => {
  it.each(tiers)('a call does what the model says (%s)', async (tier) => {
    await fc.assert(
      fc.asyncProperty(actors, async (all) => {
        const stage = cast(kind, all, tier);
        const hook = stage.hook(kind);
        const payload = { path: [] };
        const expected = play(kind, all, false);
        expect(await observe(stage, () => hook.call(payload))).toEqual(expected);
        const record = newRecord();
        expect(await observe(stage, () => hook.call(payload, { run: 'r', record }))).toEqual(expected);
        expect(record.failures.map(({ plugin, run }) => [plugin, run])).toEqual(
          expected.failed.map((plugin) => [plugin, 'r']),
        );
        const answered = expected.called.filter((name) => {
          const mode = all[Number(name.slice(1))]?.mode;
          return mode === 'answer' || mode === 'later';
        });
        expect(record.answers.map(({ plugin }) => plugin)).toEqual(answered);
        expect(record.changes.map(({ plugin }) => plugin)).toEqual(kind === 'waterfall' ? answered : []);
        expect(await observe(stage, () => hook.callSync(payload))).toEqual(play(kind, all, true));
      }),
      { numRuns },
    );
  });

  it.each(tiers)('wrappers and watchers around them change nothing (%s)', async (tier) => {
    const half = fc.constantFrom('sync', 'async');
    const around = fc.record({ before: half, after: fc.option(half), keeps: fc.boolean(), context: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(actors, fc.array(around, { maxLength: 3 }), fc.boolean(), async (all, wrappers, watch) => {
        const stage = cast(kind, all, tier);
        const order: string[] = [];
        wrappers.forEach(({ before, after, keeps, context }, i) => {
          const then = ({ result }: Seen) => {
            order.push(`)w${i}`);
            const answer = keeps ? undefined : result;
            return after === 'async' ? Promise.resolve(answer) : answer;
          };
          const first = () => {
            order.push(`w${i}(`);
            const answer = after === null ? undefined : then;
            return before === 'async' ? Promise.resolve(answer) : answer;
          };
          const one = () => first();
          const two = (_payload: unknown, _context: unknown) => first();
          stage.wrap(`w${i}`, kind, context ? two : one);
        });
        const seen: string[] = [];
        if (watch) stage.kernel.intercept(({ plugin }) => void (stage.warming || seen.push(plugin)));
        const hook = stage.hook(kind);
        const expected = play(kind, all, false);
        expect(await observe(stage, () => hook.call({ path: [] }))).toEqual(expected);
        expect(order).toEqual([
          ...wrappers.map((_, i) => `w${i}(`).reverse(),
          ...wrappers.flatMap(({ after }, i) => (after === null ? [] : [`)w${i}`])),
        ]);
        expect(seen).toEqual(watch ? expected.called : []);
      }),
      { numRuns: 100 },
    );
  });
});

describe('for all handlers of a closed hook', () => {
  it.each(tiers)('the first that fails refuses, and nobody after it is called (%s)', async (tier) => {
    await fc.assert(
      fc.asyncProperty(actors, async (all) => {
        const stage = new Stage(tier);
        all.forEach((actor, n) => {
          stage.add(`p${n}`, 'closedCollect', () => {
            stage.log.push(`p${n}`);
            return act(actor, () => 'text');
          });
        });
        const backwards = all.map((actor, n) => ({ ...actor, name: `p${n}` })).reverse();
        const bad = backwards.findIndex(({ mode }) => mode === 'throw' || mode === 'reject');
        const hook = stage.hook('closedCollect');
        const called = backwards.slice(0, bad < 0 ? backwards.length : bad + 1).map(({ name }) => name);
        if (bad < 0) {
          const answers = backwards.filter(({ mode }) => mode === 'answer' || mode === 'later').map(() => 'text');
          expect(await hook.call({})).toEqual(answers);
        } else {
          const error = await errorOf(() => hook.call({}));
          expect([error.code, error.plugin]).toEqual(['HOOK_REFUSED', backwards[bad]?.name]);
        }
        expect(stage.log).toEqual(called);
      }),
      { numRuns },
    );
  });
});

type Step =
  | { readonly do: 'call' }
  | { readonly do: 'register' | 'dispose' | 'settle' | 'break'; readonly pick: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('call' as const) }),
    fc.record({ do: fc.constantFrom('register', 'dispose', 'settle', 'settle', 'break'), pick: fc.nat(100) }),
  ),
  { maxLength: 40 },
);

describe('for all ways in which plugins come and go while calls are waiting', () => {
  it.each(tiers)(
    'no handler is called twice, nor after it went, nor before it came, nor forgotten (%s)',
    async (tier) => {
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          const stage = new Stage(tier, { breaker: { failures: 1e9 } });
          const live = new Map<string, Scope>();
          const waiting: { resolve(): void; reject(error: Error): void }[] = [];
          const calls: { at: number; end: number; done: boolean; called: string[] }[] = [];
          const spans = new Map<string, { from: number; to: number }>();
          const ghosts: string[] = [];
          let clock = 0;
          let count = 0;
          const join = () => {
            const name = `p${count++}`;
            const waits = count % 3 !== 0;
            const handler = (n: number) => {
              if (!live.has(name)) ghosts.push(name);
              calls[n]?.called.push(name);
              if (!waits) return undefined;
              const gate = Promise.withResolvers<void>();
              waiting.push(gate);
              return gate.promise;
            };
            live.set(name, stage.add(name, 'notify', handler));
            spans.set(name, { from: clock, to: Number.POSITIVE_INFINITY });
          };
          const leave = async (name: string) => {
            const scope = live.get(name);
            live.delete(name);
            (spans.get(name) as { to: number }).to = clock;
            await scope?.dispose();
          };
          for (let i = 0; i < 4; i++) join();
          stage.hook('notify');
          for (const step of script) {
            clock++;
            if (step.do === 'call') {
              const call = { at: clock, end: Number.POSITIVE_INFINITY, done: false, called: [] };
              calls.push(call);
              const result = stage.kernel.hook('notify').call(calls.length - 1);
              const finish = () => Object.assign(call, { end: clock, done: true });
              if (result instanceof Promise) void result.then(finish);
              else finish();
            } else if (step.do === 'register') join();
            else if (step.do === 'dispose') {
              const name = [...live.keys()][step.pick % Math.max(1, live.size)];
              if (name !== undefined) await leave(name);
            } else {
              const [gate] = waiting.splice(step.pick % Math.max(1, waiting.length), 1);
              if (step.do === 'settle') gate?.resolve();
              else gate?.reject(new Error('broken'));
            }
            for (let i = 0; i < 4; i++) await Promise.resolve();
          }
          clock++;
          while (waiting.length > 0) {
            waiting.shift()?.resolve();
            await turn();
          }
          expect(ghosts).toEqual([]);
          for (const { at, end, done, called } of calls) {
            expect(done).toBe(true);
            expect(new Set(called).size).toBe(called.length);
            for (const [name, { from, to }] of spans) {
              if (from > at) expect(called).not.toContain(name);
              if (from <= at && to > end) expect(called).toContain(name);
              if (to <= at) expect(called).not.toContain(name);
            }
          }
        }),
        { numRuns: 250 },
      );
    },
  );
});
