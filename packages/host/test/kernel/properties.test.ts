import fc from 'fast-check';
import { PatchbayError } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/kernel/index.ts';
import { Stage, type Tier, tiers } from './fixture.ts';
import { type Draft, drafts, type Placed, place, problemWith, verdictOn } from './model.ts';

const numRuns = 300;
const tier = fc.constantFrom<Tier>('cold', 'no codegen');

/** Registers what a draft says, for a hook of `collect`: each function says its id. */
function register(stage: Stage, { name, dialect, parts }: Draft): Scope {
  const handlers = parts.map(({ wraps, options }, i) => {
    const id = `${name}#${i + 1}`;
    const handler = () => {
      stage.log.push(id);
      return id;
    };
    const wrapper = () => {
      stage.log.push(id);
    };
    return { hook: 'collect', id, ...options, ...(wraps ? { wrapper } : { handler }) };
  });
  return stage.put({ name, dialect, handlers });
}

/** Everything that can be seen of a stage: what there is, in which order, why, and what a call does and gives. */
function snapshot(stage: Stage) {
  stage.log.length = 0;
  const results = [stage.kernel.hook('collect').call({}), stage.kernel.hook('collect').callSync({})];
  const called = [...stage.log];
  return {
    results,
    called,
    explained: stage.kernel.hook('collect').explain(),
    others: stage.kernel.hook('notify').explain(),
    plugins: stage.kernel.plugins(),
    hooks: stage.kernel.plugins().map((name) => stage.kernel.hooksOf(name)),
    size: stage.kernel.hook('collect').size,
  };
}

function attempt(act: () => Scope): Scope | string {
  try {
    return act();
  } catch (error) {
    if (error instanceof PatchbayError) return error.code;
    throw error;
  }
}

describe('for all plugins', () => {
  it('either registration fails as it should and changes nothing, or the order keeps all constraints', () => {
    let [refused, ordered] = [0, 0];
    fc.assert(
      fc.property(drafts, tier, (all, at) => {
        const stage = new Stage(at);
        let placed: Placed[] = [];
        for (const [i, draft] of all.entries()) {
          const before = snapshot(stage);
          const candidate = [...placed, ...place(draft, i)];
          const wrong = verdictOn(candidate);
          const outcome = attempt(() => register(stage, draft));
          if (typeof outcome === 'string') {
            refused++;
            expect([...wrong]).toContain(outcome);
            expect(snapshot(stage)).toEqual(before);
            continue;
          }
          ordered++;
          expect([...wrong]).toEqual([]);
          placed = candidate;
          const { called, results, explained } = snapshot(stage);
          const once = called.slice(0, called.length / 2);
          expect(called).toEqual([...once, ...once]);
          expect(explained.map(({ handler }) => handler)).toEqual(once);
          expect(once.toSorted()).toEqual(placed.map(({ id }) => id).toSorted());
          const order = once.map((id) => placed.find((each) => each.id === id) as Placed);
          const [wrappers, handlers] = [order.filter(({ wraps }) => wraps), order.filter(({ wraps }) => !wraps)];
          expect(order).toEqual([...wrappers, ...handlers]);
          expect(problemWith(wrappers)).toBeUndefined();
          expect(problemWith(handlers)).toBeUndefined();
          const ids = handlers.map(({ id }) => id);
          expect(results).toEqual([ids, ids]);
        }
      }),
      { numRuns },
    );
    expect(Math.min(refused, ordered)).toBeGreaterThan(50);
  });

  it('the order does not depend on plugins that came and went', async () => {
    await fc.assert(
      fc.asyncProperty(drafts, fc.array(fc.nat(7), { maxLength: 8 }), async (all, leave) => {
        const [busy, calm] = [new Stage(), new Stage()];
        const scopes = all.map((draft) => attempt(() => register(busy, draft)));
        for (const n of leave) {
          const scope = scopes[n];
          if (scope !== undefined && typeof scope !== 'string') await scope.dispose();
        }
        const left = new Set(busy.kernel.plugins());
        for (const draft of all) if (left.has(draft.name)) register(calm, draft);
        expect(snapshot(busy)).toEqual(snapshot(calm));
      }),
      { numRuns },
    );
  });

  it.each(tiers)('undoing restores everything exactly, in whatever order it is done (%s)', async (which) => {
    await fc.assert(
      fc.asyncProperty(drafts, fc.nat(8), fc.infiniteStream(fc.nat(1000)), async (all, split, dice) => {
        const stage = new Stage(which);
        for (const draft of all.slice(0, split)) attempt(() => register(stage, draft));
        stage.hook('collect');
        const before = snapshot(stage);
        const subset = stage.kernel.hook('collect').subset(['a', 'b']);
        const narrow = subset.explain();
        const scopes = all.slice(split).map((draft) => attempt(() => register(stage, draft)));
        const added = scopes.filter((scope) => typeof scope !== 'string');
        snapshot(stage);
        while (added.length > 0) {
          const [scope] = added.splice((dice.next().value ?? 0) % added.length, 1);
          await scope?.dispose();
        }
        expect(snapshot(stage)).toEqual(before);
        expect(subset.explain()).toEqual(narrow);
      }),
      { numRuns },
    );
  });

  it.each(tiers)('watchers that come and go in any order change nothing and see everything (%s)', (which) => {
    fc.assert(
      fc.property(drafts, fc.array(fc.nat(4), { maxLength: 12 }), (all, steps) => {
        const stage = new Stage(which);
        for (const draft of all) attempt(() => register(stage, draft));
        stage.hook('collect');
        const before = snapshot(stage);
        const handlers = stage.kernel.hook('collect').call({}) as string[];
        const active = new Map<number, { undo: () => void; seen: string[]; ended: string[] }>();
        for (const n of steps) {
          const watcher = active.get(n);
          if (watcher === undefined) {
            const [seen, ended]: string[][] = [[], []];
            const undo = stage.kernel.intercept(({ handler }) => {
              seen?.push(handler);
              return () => ended?.push(handler);
            });
            active.set(n, { undo, seen: seen ?? [], ended: ended ?? [] });
          } else {
            watcher.undo();
            active.delete(n);
          }
          for (const each of active.values()) each.seen.length = each.ended.length = 0;
          expect(snapshot(stage)).toEqual(before);
          for (const { seen, ended } of active.values()) {
            expect(seen).toEqual([...handlers, ...handlers]);
            expect(ended).toEqual(seen);
          }
        }
        for (const { undo } of active.values()) undo();
        expect(snapshot(stage)).toEqual(before);
      }),
      { numRuns },
    );
  });

  it('a subset is what would be there without the plugins it leaves out', () => {
    fc.assert(
      fc.property(drafts, fc.subarray(['a', 'b', 'c', 'd', 'e']), fc.nat(8), (all, without, early) => {
        const [whole, part] = [new Stage(), new Stage()];
        let subset = whole.kernel.hook('collect');
        all.forEach((draft, i) => {
          if (i === early) subset = whole.kernel.hook('collect').subset(without);
          const outcome = attempt(() => register(whole, draft));
          if (typeof outcome !== 'string' && !without.includes(draft.name)) register(part, draft);
        });
        subset = whole.kernel.hook('collect').subset(without);
        expect(subset.explain()).toEqual(part.kernel.hook('collect').explain());
        whole.log.length = 0;
        part.log.length = 0;
        expect(subset.call({})).toEqual(part.kernel.hook('collect').call({}));
        expect(whole.log).toEqual(part.log);
      }),
      { numRuns },
    );
  });
});
