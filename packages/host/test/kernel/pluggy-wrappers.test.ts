import { describe, expect, it } from 'vitest';
import { errorOf, never, type Seen, Stage, tiers } from './fixture.ts';

describe.each(tiers)('wrappers, as pluggy has them (%s)', (tier) => {
  /** A wrapper that says its name before and after. */
  const around = (stage: Stage, name: string) => () => {
    stage.log.push(`${name}(`);
    return () => void stage.log.push(`)${name}`);
  };
  const trap = () => {
    throw new Error('no');
  };

  it('runs the halves of a wrapper before the first and after the last handler', () => {
    const stage = new Stage(tier);
    stage.wrap('w', 'notify', around(stage, 'w'));
    stage.speaker('a', 'notify', { tryfirst: true });
    stage.speaker('b', 'notify', { trylast: true });
    stage.call('notify');
    stage.sync('notify');
    expect(stage.log.join(' ')).toBe('w( a b )w w( a b )w');
  });

  it('puts the wrapper registered last outermost, and ends them the other way round', () => {
    const stage = new Stage(tier);
    for (const name of ['u', 'v', 'w']) stage.wrap(name, 'notify', around(stage, name));
    stage.speaker('a', 'notify');
    stage.call('notify');
    expect(stage.log.join(' ')).toBe('w( v( u( a )u )v )w');
  });

  it('puts a tryfirst wrapper outermost and a trylast one innermost', () => {
    const stage = new Stage(tier);
    stage.wrap('outer', 'notify', around(stage, 'outer'), { tryfirst: true });
    stage.wrap('middle', 'notify', around(stage, 'middle'));
    stage.wrap('inner', 'notify', around(stage, 'inner'), { trylast: true });
    stage.call('notify');
    expect(stage.log.join(' ')).toBe('outer( middle( inner( )inner )middle )outer');
  });

  it('orders wrappers by before and after too', () => {
    const stage = new Stage(tier);
    stage.wrap('u', 'notify', around(stage, 'u'), { before: ['v'] });
    stage.wrap('v', 'notify', around(stage, 'v'));
    stage.wrap('w', 'notify', around(stage, 'w'), { after: ['v'] });
    stage.call('notify');
    expect(stage.log.join(' ')).toBe('u( v( w( )w )v )u');
  });

  it('does not apply the constraints of wrappers to handlers, nor the other way round', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.wrap('w', 'notify', around(stage, 'w'), { after: ['a'] });
    stage.speaker('b', 'notify', { before: ['w'] });
    stage.call('notify');
    expect(stage.log.join(' ')).toBe('w( b a )w');
  });

  it('runs wrappers even where there is no handler', () => {
    const stage = new Stage(tier);
    stage.wrap('w', 'collect', around(stage, 'w'));
    expect(stage.call('collect')).toEqual([]);
    expect(stage.log.join(' ')).toBe('w( )w');
  });

  it('needs no second half, where a wrapper of pluggy must yield', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.wrap('v', 'collect', () => void stage.log.push('v'));
    stage.wrap('w', 'collect', () => null);
    expect(stage.call('collect')).toEqual([1]);
    expect(stage.log).toEqual(['v']);
    expect(stage.failures).toEqual([]);
  });

  it('shows the wrapper the payload, frozen, and its context', () => {
    const stage = new Stage(tier);
    const payload = { n: 1 };
    const seen: unknown[] = [];
    const wrapper = (p: unknown, context: Record<string, unknown>) => {
      seen.push(p, context.plugin, context.hook, context.run, context.config);
    };
    stage.put({ name: 'w', config: { depth: 2 }, handlers: [{ hook: 'notify', wrapper }] });
    stage.call('notify', payload, { run: 'r1' });
    expect(seen).toEqual([payload, 'w', 'notify', 'r1', { depth: 2 }]);
    expect(seen[0]).toBe(payload);
    expect(Object.isFrozen(payload)).toBe(true);
  });

  it.each<[hook: 'collect' | 'first' | 'notify' | 'waterfall' | 'merge', handler: () => unknown, result: unknown]>([
    ['collect', () => 1, [1]],
    ['first', () => 1, 1],
    ['first', () => null, null],
    ['notify', () => 1, undefined],
    ['waterfall', () => ({ n: 2 }), { n: 2 }],
    ['merge', () => ({ k: 1 }), { entries: { k: 1 }, owners: { k: 'a' }, conflicts: [] }],
  ])('shows the second half of a wrapper of a %s hook what the call came to', (hook, handler, result) => {
    const stage = new Stage(tier);
    const seen: unknown[] = [];
    stage.add('a', hook, handler);
    stage.wrap('w', hook, () => (outcome: Seen) => void seen.push(outcome));
    stage.call(hook, { n: 1 });
    expect(seen).toEqual([{ result, refusal: undefined }]);
  });

  it.each([
    ['collect', [7, 8]],
    ['first', 7],
    ['waterfall', { n: 7 }],
    ['merge', { entries: { k: 7 }, owners: { k: 'w' }, conflicts: [] }],
  ] as const)('lets the wrapper of a %s hook put another result in its place', (hook, other) => {
    const stage = new Stage(tier);
    stage.add('a', hook, () => ({ k: 1 }));
    stage.wrap('w', hook, () => () => other);
    expect(stage.call(hook, { n: 1 })).toEqual(other);
    expect(stage.sync(hook, { n: 1 })).toEqual(other);
    expect(stage.failures).toEqual([]);
  });

  it('keeps the result of a wrapper that answers undefined, where pluggy would take that for a result', () => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => 1);
    stage.wrap('w', 'first', () => () => undefined);
    expect(stage.call('first')).toBe(1);
  });

  it('lets a wrapper take the result of a first hook away with null', () => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => 1);
    stage.wrap('w', 'first', () => () => null);
    expect(stage.call('first')).toBeNull();
  });

  it.each(['collect', 'waterfall', 'merge', 'notify'] as const)(
    'keeps the result of a %s hook when its wrapper answers null, which is none there',
    (hook) => {
      const [plain, stage] = [new Stage(tier), new Stage(tier)];
      for (const each of [plain, stage]) each.add('a', hook, () => ({ k: 1 }));
      stage.wrap('w', hook, () => () => null);
      expect(stage.call(hook)).toEqual(plain.call(hook));
      expect(stage.failures).toEqual([]);
    },
  );

  it('gives nothing for a notify hook, whatever its wrapper answers', () => {
    const stage = new Stage(tier);
    stage.wrap('w', 'notify', () => () => 'something');
    expect(stage.call('notify')).toBeUndefined();
    expect(stage.failures).toEqual([]);
  });

  it('shows the outer wrapper what the inner one put in place', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.wrap('inner', 'collect', () => ({ result }: Seen<number[]>) => [...result, 2]);
    stage.wrap('outer', 'collect', () => ({ result }: Seen<number[]>) => [...result, 3]);
    expect(stage.call('collect')).toEqual([1, 2, 3]);
  });

  it.each([
    ['texts', [1], []],
    ['texts', 'no array', []],
    ['text', 5, null],
    ['counted', { n: 'x' }, { n: 1 }],
    ['numbers', { k: 1 }, { entries: {}, owners: {}, conflicts: [] }],
  ] as const)('keeps the result of a %s hook when its wrapper answers %j, and tells of it', (hook, bad, kept) => {
    const stage = new Stage(tier);
    stage.wrap('w', hook, () => () => bad);
    stage.wrap('v', hook, around(stage, 'v'));
    expect(stage.call(hook, { n: 1 })).toEqual(kept);
    expect(stage.told).toEqual(['w HANDLER_ANSWER']);
    expect(stage.log.join(' ')).toBe('v( )v');
  });

  it('calls the handlers all the same when a wrapper throws before them; pluggy would give up', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.wrap('inner', 'collect', around(stage, 'inner'));
    stage.wrap('w', 'collect', trap);
    stage.wrap('outer', 'collect', around(stage, 'outer'));
    expect(stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual(['w HANDLER_FAILED']);
    expect(stage.log.join(' ')).toBe('outer( inner( )inner )outer');
  });

  it('keeps the result when a wrapper throws after the handlers; pluggy would lose it', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.wrap('inner', 'collect', around(stage, 'inner'));
    stage.wrap('w', 'collect', () => trap);
    stage.wrap('outer', 'collect', around(stage, 'outer'));
    expect(stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual(['w HANDLER_FAILED']);
    expect(stage.log.join(' ')).toBe('outer( inner( )inner )outer');
  });

  it('does not show a wrapper the failure of a handler, which pluggy would raise from its yield', () => {
    const stage = new Stage(tier);
    const seen: unknown[] = [];
    stage.add('bad', 'collect', trap);
    stage.add('a', 'collect', () => 1);
    stage.wrap('w', 'collect', () => (outcome: Seen) => void seen.push(outcome));
    expect(stage.call('collect')).toEqual([1]);
    expect(seen).toEqual([{ result: [1], refusal: undefined }]);
    expect(stage.told).toEqual(['bad HANDLER_FAILED']);
  });

  it.each([1, 'text', {}, [], Symbol('s')])('tells of a wrapper whose first half answers %s', (answer) => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.wrap('w', 'collect', () => answer);
    expect(stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual(['w HANDLER_ANSWER']);
  });

  it('calls the handlers once, whatever a wrapper does', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.wrap('s', 'notify', trap);
    stage.wrap('t', 'notify', () => trap);
    stage.wrap('u', 'notify', () => 'nonsense');
    stage.wrap('v', 'notify', () => () => 'nonsense');
    stage.call('notify');
    expect(stage.log).toEqual(['a']);
    expect(stage.told).toEqual(['u HANDLER_ANSWER', 's HANDLER_FAILED', 't HANDLER_FAILED']);
  });

  it('shows a refusal to the second halves of all wrappers, innermost first', async () => {
    const stage = new Stage(tier);
    const seen: [string, Seen][] = [];
    stage.add('no', 'closedNotify', () => ({ verdict: 'block', message: 'not today' }));
    for (const name of ['inner', 'outer']) {
      stage.wrap(name, 'closedNotify', () => (outcome: Seen) => void seen.push([name, outcome]));
    }
    const error = await errorOf(() => stage.call('closedNotify'));
    expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'no' });
    expect(seen).toEqual([
      ['inner', { result: undefined, refusal: error }],
      ['outer', { result: undefined, refusal: error }],
    ]);
    expect(stage.failures).toEqual([]);
  });

  it('lets no wrapper undo a refusal, as a wrapper of pluggy could', async () => {
    const stage = new Stage(tier);
    stage.add('no', 'closedFirst', () => ({ verdict: 'block', message: 'not today' }));
    const seen: unknown[] = [];
    stage.wrap('w', 'closedFirst', () => () => 'never mind');
    stage.wrap('outer', 'closedFirst', () => (outcome: Seen) => void seen.push(outcome));
    const error = await errorOf(() => stage.call('closedFirst'));
    expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'no' });
    expect(seen).toEqual([{ result: undefined, refusal: error }]);
    expect(stage.failures).toEqual([]);
  });

  it('leaves the wrappers of a plugin out once it has gone', async () => {
    const stage = new Stage(tier);
    const scope = stage.wrap('w', 'notify', around(stage, 'w'));
    stage.speaker('a', 'notify');
    await scope.dispose();
    stage.call('notify');
    expect(stage.log).toEqual(['a']);
  });

  it('does not begin a wrapper that goes during the call, but ends the one that began', async () => {
    const stage = new Stage(tier);
    const inner = stage.wrap('inner', 'notify', around(stage, 'inner'));
    const outer = stage.wrap('outer', 'notify', () => {
      void inner.dispose();
      void outer.dispose();
      return around(stage, 'outer')();
    });
    stage.speaker('a', 'notify');
    stage.call('notify');
    expect(stage.log.join(' ')).toBe('outer( a )outer');
    expect([inner.live, outer.live]).toEqual([false, false]);
  });

  it('takes an async wrapper for a failed one where the caller cannot wait', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.wrap('u', 'collect', async () => {});
    stage.wrap('v', 'collect', () => async () => [9]);
    stage.wrap('w', 'collect', never);
    expect(stage.sync('collect')).toEqual([1]);
    expect(stage.told.toSorted()).toEqual(['u HANDLER_ASYNC', 'v HANDLER_ASYNC', 'w HANDLER_ASYNC']);
  });
});
