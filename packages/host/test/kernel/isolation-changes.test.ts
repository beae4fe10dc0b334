import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/kernel/index.ts';
import { type Seen, Stage, tiers, turn } from './fixture.ts';

describe.each(tiers)('plugins that come and go while a hook is called (%s)', (tier) => {
  const said = (stage: Stage) => {
    const words = stage.log.join(' ');
    stage.log.length = 0;
    return words;
  };

  it('lets a handler take its own plugin out', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const scope: Scope = stage.add('b', 'notify', () => {
      stage.log.push('b');
      void scope.dispose();
    });
    stage.speaker('c', 'notify');
    stage.call('notify');
    expect(said(stage)).toBe('c b a');
    stage.kernel.hook('notify').call({});
    expect(said(stage)).toBe('c a');
  });

  it('does not call one that was taken out before its turn, but finishes the call', () => {
    const stage = new Stage(tier);
    const a = stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    stage.add('c', 'notify', () => {
      stage.log.push('c');
      void a.dispose();
    });
    stage.call('notify');
    expect(said(stage)).toBe('c b');
  });

  it('does not mind that one was taken out after its turn', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.add('b', 'notify', () => {
      stage.log.push('b');
      void c.dispose();
    });
    const c = stage.speaker('c', 'notify');
    stage.call('notify');
    expect(said(stage)).toBe('c b a');
    expect(stage.kernel.has('c')).toBe(false);
  });

  it('calls one that was added during a call only from the next call on', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.add('b', 'notify', () => {
      stage.log.push('b');
      if (!stage.kernel.has('new')) stage.speaker('new', 'notify', { trylast: true });
    });
    stage.call('notify');
    expect(said(stage)).toBe('b a');
    stage.call('notify');
    expect(said(stage)).toBe('b a new');
  });

  it('calls one that comes back under its old name during a call only from the next call on', () => {
    const stage = new Stage(tier);
    const a = stage.speaker('a', 'notify');
    let once = true;
    stage.add('b', 'notify', () => {
      stage.log.push('b');
      if (!once) return;
      once = false;
      void a.dispose();
      stage.speaker('a', 'notify');
    });
    stage.call('notify');
    expect(said(stage)).toBe('b');
    stage.call('notify');
    expect(said(stage)).toBe('a b');
  });

  it('heeds removals and additions while it waits for a promise', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<void>();
    const gone = stage.speaker('gone', 'notify');
    stage.speaker('stays', 'notify');
    const waits = stage.add('waits', 'notify', () => gate.promise);
    const result = stage.call('notify');
    const removals = [gone.dispose(), waits.dispose()];
    stage.speaker('new', 'notify', { trylast: true });
    gate.resolve();
    await result;
    expect(said(stage)).toBe('stays');
    stage.call('notify');
    expect(said(stage)).toBe('stays new');
    await Promise.all(removals);
  });

  it('keeps what a handler answers after its plugin was taken out', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<string>();
    const scope = stage.add('a', 'collect', () => gate.promise);
    const result = stage.call('collect');
    await scope.dispose();
    gate.resolve('was asked');
    expect(await result).toEqual(['was asked']);
  });

  it('tells of a handler that fails after its plugin was taken out', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<string>();
    const scope = stage.add('a', 'collect', () => gate.promise);
    const result = stage.call('collect');
    await scope.dispose();
    gate.reject(new Error('torn down'));
    expect(await result).toEqual([]);
    expect(stage.told).toEqual(['a HANDLER_FAILED']);
    expect(stage.kernel.troubled()).toEqual([]);
  });

  it('takes all out at once if a handler says so', async () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    stage.wrap('w', 'notify', () => {
      for (const name of stage.kernel.plugins()) void stage.kernel.block(name);
    });
    stage.call('notify');
    expect(said(stage)).toBe('');
    expect(stage.kernel.plugins()).toEqual([]);
    await turn();
    expect(stage.failures).toEqual([]);
  });

  it('lets a handler block the name of one that is waiting', async () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.add('b', 'notify', async () => {
      await stage.kernel.block('a');
    });
    await stage.call('notify');
    expect(said(stage)).toBe('');
    expect(() => stage.speaker('a', 'notify')).toThrow(expect.objectContaining({ code: 'PLUGIN_BLOCKED' }));
  });

  it('lets watchers come and go during a call', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<void>();
    stage.speaker('a', 'notify');
    stage.add('b', 'notify', () => gate.promise);
    const result = stage.call('notify');
    const undo = stage.kernel.intercept(({ plugin }) => void stage.log.push(`watched ${plugin}`));
    gate.resolve();
    await result;
    expect(said(stage)).toBe('a');
    void stage.kernel.hook('notify').call({});
    await turn();
    expect(said(stage)).toBe('watched b watched a a');
    undo();
  });
});

describe.each(tiers)('a hook that is called while it is being called (%s)', (tier) => {
  it('keeps the two calls apart', () => {
    const stage = new Stage(tier);
    const hook = stage.kernel.hook('collect');
    stage.add('a', 'collect', (n) => n);
    stage.add('b', 'collect', (n: number) => (n > 0 ? hook.callSync(n - 1) : 'end'));
    stage.add('c', 'collect', (n: number) => -n);
    expect(stage.call('collect', 2)).toEqual([-2, [-1, [-0, 'end', 0], 1], 2]);
  });

  it('keeps them apart while they wait', async () => {
    const stage = new Stage(tier);
    const hook = stage.kernel.hook('collect');
    stage.add('a', 'collect', async (n) => n);
    stage.add('b', 'collect', (n: number) => (n > 0 ? hook.call(n - 1) : null));
    expect(await stage.call('collect', 2)).toEqual([[[0], 1], 2]);
  });

  it('keeps many calls apart that wait at the same time', async () => {
    const stage = new Stage(tier);
    const gates = Array.from({ length: 20 }, () => Promise.withResolvers<number>());
    stage.add('a', 'collect', (n: number) => n * 100);
    stage.add('b', 'collect', (n: number) => gates[n]?.promise);
    stage.add('c', 'collect', (n) => n);
    const calls = gates.map((_gate, n) => stage.call('collect', n));
    for (const n of [7, 3, 19, 0]) gates[n]?.resolve(n * 10);
    gates.forEach((gate, n) => {
      gate.resolve(n * 10);
    });
    expect(await Promise.all(calls)).toEqual(gates.map((_gate, n) => [n, n * 10, n * 100]));
  });

  it('does so for wrappers as well', async () => {
    const stage = new Stage(tier);
    const hook = stage.kernel.hook('first');
    stage.add('a', 'first', async (n) => n);
    stage.wrap('w', 'first', async (n: number) => {
      const inner = n > 0 ? await hook.call(n - 1) : 'end';
      return ({ result }: Seen) => [result, inner];
    });
    expect(await stage.call('first', 2)).toEqual([2, [1, [0, 'end']]]);
  });

  it('isolates a handler that calls it without end', () => {
    const stage = new Stage(tier, { breaker: { failures: 1e9 } });
    const hook = stage.kernel.hook('collect');
    stage.add('good', 'collect', () => 'good');
    stage.add('endless', 'collect', () => {
      hook.callSync({});
      return null;
    });
    expect(stage.call('collect')).toEqual(['good']);
    expect(stage.failures.every(({ code }) => code === 'HANDLER_FAILED')).toBe(true);
    expect(stage.failures.length).toBeGreaterThan(0);
  });
});
