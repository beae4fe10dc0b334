import type { FailurePolicy, HookKind } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { Kernel } from '../../src/kernel/index.ts';
import { errorOf, historic, Stage, turn, unheard } from './fixture.ts';

describe('hooks with a memory, as pluggy has them', () => {
  it('calls a plugin that comes later for what it has missed, before register returns', () => {
    const stage = new Stage();
    stage.call('past', 1);
    stage.sync('past', 2);
    stage.add('late', 'past', (n) => void stage.log.push(`late ${n}`));
    expect(stage.log).toEqual(['late 1', 'late 2']);
  });

  it('replays in the order of the calls, all handlers of the plugin for each', () => {
    const stage = new Stage();
    for (const n of [1, 2, 3]) stage.call('past', n);
    const say = (name: string) => (n: number) => void stage.log.push(`${name}${n}`);
    stage.put({
      name: 'late',
      handlers: [
        { hook: 'past', handler: say('z'), trylast: true },
        { hook: 'past', handler: say('b') },
        { hook: 'past', handler: say('a') },
      ],
    });
    expect(stage.log.join(' ')).toBe('a1 b1 z1 a2 b2 z2 a3 b3 z3');
  });

  it('replays nothing to those that were there', () => {
    const stage = new Stage();
    stage.add('early', 'past', (n) => void stage.log.push(`early ${n}`));
    stage.call('past', 1);
    stage.add('late', 'past', () => {});
    expect(stage.log).toEqual(['early 1']);
  });

  it('calls a plugin that came late as usual from then on', () => {
    const stage = new Stage();
    stage.call('past', 1);
    stage.add('late', 'past', (n) => void stage.log.push(`late ${n}`));
    stage.call('past', 2);
    expect(stage.log).toEqual(['late 1', 'late 2']);
  });

  it('gives the caller the answers of those that are there, where pluggy would give none', () => {
    const stage = new Stage();
    stage.add('early', 'pastCollect', () => 'early');
    expect(stage.call('pastCollect')).toEqual(['early']);
  });

  it('hands late answers to the callback of the call, with the name of the plugin', () => {
    const stage = new Stage();
    const late: unknown[] = [];
    stage.add('early', 'pastCollect', () => 'early');
    stage.call('pastCollect', 1, { late: (answer, plugin) => late.push([answer, plugin]) });
    expect(late).toEqual([]);
    stage.add('a', 'pastCollect', (n: number) => n + 10);
    stage.add('b', 'pastCollect', (n: number) => n + 20);
    expect(late).toEqual([
      [11, 'a'],
      [21, 'b'],
    ]);
  });

  it('does not trouble the callback with null and undefined', () => {
    const stage = new Stage();
    const late: unknown[] = [];
    stage.call('pastCollect', 1, { late: (answer) => late.push(answer) });
    stage.add('a', 'pastCollect', () => null);
    stage.add('b', 'pastCollect', () => undefined);
    stage.add('c', 'pastCollect', () => 0);
    expect(late).toEqual([0]);
  });

  it('calls each call back by its own callback, and needs none', () => {
    const stage = new Stage();
    const late: unknown[] = [];
    stage.call('pastCollect', 1, { late: (answer) => late.push(`one ${answer}`) });
    stage.call('pastCollect', 2);
    stage.call('pastCollect', 3, { late: (answer) => late.push(`three ${answer}`) });
    stage.add('a', 'pastCollect', (n) => n);
    expect(late).toEqual(['one 1', 'three 3']);
  });

  it('works for hooks that merge', () => {
    const stage = new Stage();
    const late: unknown[] = [];
    stage.add('early', 'pastMerge', () => ({ a: 1 }));
    expect(stage.call('pastMerge', 1, { late: (answer) => late.push(answer) })).toMatchObject({ entries: { a: 1 } });
    stage.add('late', 'pastMerge', () => ({ b: 2 }));
    expect(late).toEqual([{ b: 2 }]);
  });

  it('replays to handlers only: wrappers have nothing to be around', () => {
    const stage = new Stage();
    stage.call('past', 1);
    stage.put({
      name: 'late',
      handlers: [
        { hook: 'past', wrapper: () => void stage.log.push('wrapper') },
        { hook: 'past', handler: () => void stage.log.push('handler') },
      ],
    });
    expect(stage.log).toEqual(['handler']);
    stage.wrap('later', 'past', () => void stage.log.push('wrapper'));
    expect(stage.log).toEqual(['handler']);
  });

  it('tells the context of the run that a replayed call was about', () => {
    const stage = new Stage();
    stage.call('past', 1, { run: 'r1' });
    stage.add('late', 'past', (_n, context: { run: string | null }) => void stage.log.push(`${context.run}`));
    expect(stage.log).toEqual(['r1']);
  });

  it('goes on after a handler that fails in a replay, and tells of it', () => {
    const stage = new Stage();
    stage.call('past', 1, { run: 'r1' });
    stage.call('past', 2);
    stage.add('late', 'past', (n: number) => {
      if (n === 1) throw new Error('no');
      stage.log.push(`late ${n}`);
    });
    expect(stage.log).toEqual(['late 2']);
    expect(stage.failures).toEqual([
      expect.objectContaining({ code: 'HANDLER_FAILED', plugin: 'late', hook: 'past', run: 'r1' }),
    ]);
  });

  it('replays to async handlers one call after the other', async () => {
    const stage = new Stage();
    const late: unknown[] = [];
    for (const n of [1, 2, 3]) stage.call('pastCollect', n, { late: (answer) => late.push(answer) });
    stage.add('late', 'pastCollect', async (n: number) => {
      stage.log.push(`begin ${n}`);
      await turn();
      stage.log.push(`end ${n}`);
      return n;
    });
    for (let i = 0; i < 5; i++) await turn();
    expect(stage.log.join(' ')).toBe('begin 1 end 1 begin 2 end 2 begin 3 end 3');
    expect(late).toEqual([1, 2, 3]);
  });

  it('stops replaying to a plugin that has gone meanwhile', async () => {
    const stage = new Stage();
    for (const n of [1, 2, 3]) stage.call('past', n);
    const scope = stage.add('late', 'past', async (n) => {
      stage.log.push(`late ${n}`);
      await turn();
    });
    await scope.dispose();
    for (let i = 0; i < 5; i++) await turn();
    expect(stage.log).toEqual(['late 1']);
  });

  it('calls a plugin once that comes in the middle of a call', () => {
    const stage = new Stage();
    stage.add('last', 'past', (n) => void stage.log.push(`last ${n}`));
    stage.add('first', 'past', () => {
      if (!stage.kernel.has('new')) stage.add('new', 'past', (n) => void stage.log.push(`new ${n}`));
    });
    stage.call('past', 1);
    expect(stage.log).toEqual(['new 1', 'last 1']);
  });

  it('replays everything again to a plugin that comes back', async () => {
    const stage = new Stage();
    stage.call('past', 1);
    const say = (n: number) => void stage.log.push(`late ${n}`);
    await stage.add('late', 'past', say).dispose();
    stage.call('past', 2);
    stage.add('late', 'past', say);
    expect(stage.log).toEqual(['late 1', 'late 1', 'late 2']);
  });

  it('remembers the payload as it was', () => {
    const stage = new Stage();
    const payload = { deep: { n: 1 } };
    stage.call('past', payload);
    expect(() => {
      payload.deep.n = 2;
    }).toThrow(TypeError);
    stage.add('late', 'past', (p: typeof payload) => void stage.log.push(`late ${p.deep.n}`));
    expect(stage.log).toEqual(['late 1']);
  });

  it('remembers nothing where the hook does not say so', () => {
    const stage = new Stage();
    stage.call('notify', 1);
    stage.add('late', 'notify', () => void stage.log.push('late'));
    expect(stage.log).toEqual([]);
  });

  it('replays the calls that were made through a subset, except to those it leaves out', () => {
    const stage = new Stage();
    stage.kernel.hook('past').subset(['left-out']).call(1);
    stage.add('left-out', 'past', (n) => void stage.log.push(`left-out ${n}`));
    stage.add('late', 'past', (n) => void stage.log.push(`late ${n}`));
    expect(stage.log).toEqual(['late 1']);
  });

  it('goes on when a callback for late answers throws, and lets that end nothing', async () => {
    const stage = new Stage();
    stage.call('pastCollect', 1, {
      late: () => {
        throw new Error('the fault of the caller');
      },
    });
    stage.call('pastCollect', 2);
    const reasons = await unheard(() => {
      stage.add('late', 'pastCollect', (n) => {
        stage.log.push(`late ${n}`);
        return n;
      });
    });
    expect(stage.log).toEqual(['late 1', 'late 2']);
    expect(reasons).toEqual([]);
  });

  it.each([
    ['first', 'soft', 'of kind first'],
    ['waterfall', 'soft', 'of kind waterfall'],
    ['notify', 'closed', 'closed'],
    ['collect', 'closed', 'closed'],
  ] as [HookKind, FailurePolicy, string][])('is refused to %s hooks that are %s', async (kind, failure, why) => {
    const error = await errorOf(() => new Kernel(historic(kind, failure)));
    expect(error).toMatchObject({ code: 'HOOK_TABLE_INVALID', hook: 'odd' });
    expect(error.message).toContain(why);
  });

  it.each(['notify', 'collect', 'merge'] as const)('is possible for soft %s hooks', (kind) => {
    expect(new Kernel(historic(kind, 'soft')).hook('odd').size).toBe(0);
  });
});
