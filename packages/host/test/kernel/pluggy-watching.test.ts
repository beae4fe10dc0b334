import { describe, expect, it } from 'vitest';
import type { Seen } from '../../src/kernel/index.ts';
import { never, Stage, thenable, tiers, turn } from './fixture.ts';

describe.each(tiers)('callers of a subset, as pluggy has them (%s)', (tier) => {
  const callSubset = (stage: Stage, without: string[]) => {
    const subset = stage.kernel.hook('notify').subset(without);
    if (tier === 'hot') stage.warm(without.join(), subset);
    stage.log.length = 0;
    subset.call({});
    return stage.log.join(' ');
  };

  it('leaves out the plugins it is told to, and keeps the order of the others', () => {
    const stage = new Stage(tier);
    for (const name of ['a', 'b', 'c', 'd']) stage.speaker(name, 'notify', { tryfirst: name === 'a' });
    expect(callSubset(stage, ['b'])).toBe('a d c');
    expect(callSubset(stage, ['a', 'd'])).toBe('c b');
    expect(callSubset(stage, [])).toBe('a d c b');
  });

  it('does not mind names that are not there', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    expect(callSubset(stage, ['nobody'])).toBe('a');
  });

  it('leaves out the wrappers of those plugins too', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    for (const name of ['v', 'w']) {
      stage.wrap(name, 'notify', () => {
        stage.log.push(name);
      });
    }
    expect(callSubset(stage, ['w'])).toBe('v a');
  });

  it('does not change what the hook itself calls', () => {
    const stage = new Stage(tier);
    for (const name of ['a', 'b']) stage.speaker(name, 'notify');
    callSubset(stage, ['b']);
    stage.hook('notify');
    stage.log.length = 0;
    stage.call('notify');
    expect(stage.log.join(' ')).toBe('b a');
  });

  it('follows later registrations, and removals', async () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    expect(callSubset(stage, ['b'])).toBe('a');
    stage.speaker('b', 'notify');
    const c = stage.speaker('c', 'notify', { trylast: true });
    expect(callSubset(stage, ['b'])).toBe('a c');
    await c.dispose();
    expect(callSubset(stage, ['b'])).toBe('a');
    await stage.kernel.block('a');
    expect(callSubset(stage, ['b'])).toBe('');
  });

  it('is the same for the same names, in whatever order and however often they are given', () => {
    const hook = new Stage(tier).kernel.hook('notify');
    expect(hook.subset(['a', 'b'])).toBe(hook.subset(new Set(['b', 'a'])));
    expect(hook.subset(['a', 'b', 'a'])).toBe(hook.subset(['b', 'a']));
    expect(hook.subset(['a'])).not.toBe(hook.subset(['b']));
    expect(hook.subset(['a,b'])).not.toBe(hook.subset(['a', 'b']));
  });

  it('does not let a newcomer in when the hook does not', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { before: ['b'] });
    callSubset(stage, ['a']);
    expect(() => stage.speaker('b', 'notify', { before: ['a'] })).toThrow('circle');
    expect(callSubset(stage, ['a'])).toBe('');
  });

  it('drops the constraints of those that are left out', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { before: ['m'] });
    stage.speaker('m', 'notify', { before: ['z'] });
    stage.speaker('z', 'notify');
    expect(callSubset(stage, [])).toBe('a m z');
    expect(callSubset(stage, ['m'])).toBe('z a');
  });

  it('can be narrowed further', () => {
    const stage = new Stage(tier);
    const narrow = stage.kernel.hook('notify').subset(['a']).subset(['b']);
    for (const name of ['a', 'b', 'c']) stage.speaker(name, 'notify');
    narrow.call({});
    expect(stage.log).toEqual(['c']);
  });
});

describe.each(tiers)('watching the calls, as pluggy has it (%s)', (tier) => {
  /** Watches a stage and writes down what it sees. */
  const watch = (stage: Stage, name: string, every = 1) =>
    stage.kernel.intercept(
      ({ plugin }) => {
        if (stage.warming) return;
        stage.log.push(`${name} before ${plugin}`);
        return (failure) => void stage.log.push(`${name} after ${plugin}${failure ? `: ${failure.error}` : ''}`);
      },
      { every },
    );

  it('tells a watcher before and after each handler', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    watch(stage, 'w');
    stage.call('notify');
    stage.sync('notify');
    const once = ['w before b', 'b', 'w after b', 'w before a', 'a', 'w after a'];
    expect(stage.log).toEqual([...once, ...once]);
  });

  it('tells it which plugin, hook, handler and run it is about', () => {
    const stage = new Stage(tier);
    const seen: Seen[] = [];
    stage.add('a', 'first', () => null, { id: 'asker' });
    stage.add('b', 'first', () => null);
    stage.kernel.intercept((each) => void (stage.warming || seen.push(each)));
    stage.call('first', {}, { run: 'r1' });
    expect(seen).toEqual([
      { plugin: 'b', hook: 'first', handler: 'b#1', run: 'r1' },
      { plugin: 'a', hook: 'first', handler: 'asker', run: 'r1' },
    ]);
  });

  it('does not change what a call gives', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.add('b', 'collect', async () => 2);
    stage.add('c', 'collect', () => {
      throw new Error('no');
    });
    stage.add('d', 'collect', (payload, context: { plugin: string }) => [payload, context.plugin]);
    watch(stage, 'w');
    expect(await stage.call('collect', 'p')).toEqual([['p', 'd'], 2, 1]);
    expect(stage.told).toEqual(['c HANDLER_FAILED']);
  });

  it('shows it what a handler threw or was rejected with', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'notify', () => {
      throw new Error('thrown');
    });
    stage.add('b', 'notify', () => Promise.reject(new Error('rejected')));
    watch(stage, 'w');
    await stage.call('notify');
    await turn();
    expect(stage.log.toSorted()).toEqual([
      'w after a: Error: thrown',
      'w after b: Error: rejected',
      'w before a',
      'w before b',
    ]);
  });

  it('tells it of the end of an async handler when that has come', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<void>();
    stage.add('a', 'notify', () => gate.promise);
    watch(stage, 'w');
    const result = stage.call('notify');
    await turn();
    expect(stage.log).toEqual(['w before a']);
    gate.resolve();
    await result;
    await turn();
    expect(stage.log).toEqual(['w before a', 'w after a']);
  });

  it('tells it of the end of a handler whose deadline has passed', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'notify', never, { deadlineMs: 20 });
    watch(stage, 'w');
    await stage.call('notify');
    await turn();
    expect(stage.told).toEqual(['a HANDLER_TIMEOUT']);
    expect(stage.log).toEqual(['w before a', expect.stringContaining('w after a: ')]);
  });

  it('asks a thenable answer once, as if nobody watched', async () => {
    const stage = new Stage(tier);
    let asked = 0;
    stage.add('a', 'collect', () =>
      thenable((ok) => {
        asked++;
        ok('x');
      }),
    );
    watch(stage, 'w');
    expect(await stage.call('collect')).toEqual(['x']);
    expect(asked).toBe(1);
  });

  it('does not need to be told of the end', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const undo = stage.kernel.intercept(({ plugin }) => {
      if (!stage.warming) stage.log.push(`before ${plugin}`);
      return undefined;
    });
    stage.call('notify');
    undo();
    expect(stage.log).toEqual(['before a', 'a']);
  });

  it('nests several watchers, and they can leave in any order', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const undo = ['u', 'v', 'w'].map((name) => watch(stage, name));
    const said = () => {
      stage.log.length = 0;
      stage.call('notify');
      return stage.log.map((line) => line.replace(/ (before|after) a/, '')).join(' ');
    };
    stage.hook('notify');
    expect(said()).toBe('u v w a w v u');
    undo[1]?.();
    expect(said()).toBe('u w a w u');
    undo[0]?.();
    undo[0]?.();
    expect(said()).toBe('w a w');
    undo[2]?.();
    expect(said()).toBe('a');
  });

  it('lets the same function watch twice and leave once', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const see = () => void stage.log.push('seen');
    const undo = stage.kernel.intercept(see);
    stage.kernel.intercept(see);
    undo();
    undo();
    stage.hook('notify');
    stage.log.length = 0;
    stage.call('notify');
    expect(stage.log).toEqual(['seen', 'a']);
  });

  it('shows one call in so many to those who ask for that, all its handlers', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    stage.hook('notify');
    watch(stage, 'w', 10);
    const hook = stage.kernel.hook('notify');
    for (let i = 0; i < 100; i++) hook.call({});
    expect(stage.log.filter((line) => line === 'w before a')).toHaveLength(10);
    expect(stage.log.filter((line) => line === 'w after b')).toHaveLength(10);
    expect(stage.log.filter((line) => line === 'a')).toHaveLength(100);
  });

  it('counts on when code is generated in between', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    watch(stage, 'w', 10);
    const hook = stage.kernel.hook('notify');
    for (let i = 0; i < 1000; i++) hook.call({});
    expect(stage.log.filter((line) => line === 'w before a')).toHaveLength(100);
  });

  it('counts on when plugins come and go in between', async () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    watch(stage, 'w', 10);
    const hook = stage.kernel.hook('notify');
    for (let i = 0; i < 20; i++) {
      const scope = stage.speaker('passing', 'collect');
      const other = stage.speaker('other', 'notify');
      for (let n = 0; n < 5; n++) hook.call({});
      await Promise.all([scope.dispose(), other.dispose()]);
    }
    expect(stage.log.filter((line) => line === 'w before a')).toHaveLength(10);
  });

  it('shows several watchers each their own share', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.hook('notify');
    watch(stage, 'all');
    watch(stage, 'half', 2);
    watch(stage, 'fifth', 5);
    const hook = stage.kernel.hook('notify');
    for (let i = 0; i < 100; i++) hook.call({});
    const count = (name: string) => stage.log.filter((line) => line === `${name} before a`).length;
    expect([count('all'), count('half'), count('fifth')]).toEqual([100, 50, 20]);
    expect(stage.log.filter((line) => line === 'a')).toHaveLength(100);
  });

  it('watches the callers of a subset too', () => {
    const stage = new Stage(tier);
    const subset = stage.kernel.hook('notify').subset(['b']);
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    watch(stage, 'w');
    subset.call({});
    expect(stage.log).toEqual(['w before a', 'a', 'w after a']);
  });

  it('watches replayed calls too', () => {
    const stage = new Stage(tier);
    stage.kernel.hook('past').call(1);
    watch(stage, 'w');
    stage.speaker('late', 'past');
    expect(stage.log).toEqual(['w before late', 'late', 'w after late']);
  });

  it('lets a watcher leave while a call is under way, and still tells it of the end', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<void>();
    stage.add('a', 'notify', () => gate.promise);
    const undo = watch(stage, 'w');
    const result = stage.call('notify');
    undo();
    gate.resolve();
    await result;
    await turn();
    expect(stage.log).toEqual(['w before a', 'w after a']);
  });
});
