import { describe, expect, it } from 'vitest';
import { errorOf, type HookId, Stage, table, tiers, turn } from './fixture.ts';

const nothing = () => {};

describe('constraints that contradict each other', () => {
  it('names everybody in a circle of constraints, and leaves the newcomer out', async () => {
    const stage = new Stage();
    stage.speaker('a', 'notify', { before: ['b'] });
    stage.speaker('b', 'notify', { before: ['c'] });
    stage.speaker('bystander', 'notify', { before: ['a'] });
    const error = await errorOf(() => stage.speaker('c', 'notify', { before: ['a'] }));
    expect(error).toMatchObject({ code: 'ORDER_CYCLE', plugin: 'c', hook: 'notify' });
    expect(error.message).toContain('"c" before "a" before "b" before "c"');
    expect(error.message).not.toContain('bystander');
    expect(stage.kernel.plugins()).toEqual(['a', 'b', 'bystander']);
  });

  it('refuses a plugin that wants to come before itself', async () => {
    const stage = new Stage();
    expect((await errorOf(() => stage.speaker('a', 'notify', { before: ['a'] }))).code).toBe('ORDER_CYCLE');
    expect((await errorOf(() => stage.speaker('a', 'notify', { after: ['a'] }))).code).toBe('ORDER_CYCLE');
  });

  it('does not see a circle between different hooks, nor between wrappers and handlers', () => {
    const stage = new Stage();
    stage.speaker('a', 'notify', { before: ['b'] });
    stage.put({
      name: 'b',
      handlers: [
        { hook: 'collect', handler: nothing, before: ['a'] },
        { hook: 'notify', wrapper: nothing, before: ['a'] },
      ],
    });
    expect(stage.kernel.plugins()).toEqual(['a', 'b']);
  });

  it.each([
    [{ trylast: true }, { after: ['a'] }],
    [{}, { tryfirst: true, after: ['a'] }],
    [{ tryfirst: true }, { before: ['a'] }],
    [{ before: ['b'] }, { tryfirst: true }],
    [{ trylast: true, before: ['b'] }, {}],
    [{ after: ['b'] }, { trylast: true }],
  ])('refuses a constraint that contradicts the phases: a %j, b %j', async (a, b) => {
    const stage = new Stage();
    stage.speaker('a', 'notify', a);
    const error = await errorOf(() => stage.speaker('b', 'notify', b));
    expect(error).toMatchObject({ code: 'ORDER_IMPOSSIBLE', plugin: 'b', hook: 'notify' });
    expect(error.message).toMatch(/tryfirst|trylast/);
    expect(stage.kernel.plugins()).toEqual(['a']);
  });

  it('lets a plugin in once the one that it contradicted has gone', async () => {
    const stage = new Stage();
    const a = stage.speaker('a', 'notify', { before: ['b'] });
    const b = () => stage.speaker('b', 'notify', { before: ['a'] });
    expect((await errorOf(b)).code).toBe('ORDER_CYCLE');
    await a.dispose();
    b();
    expect(stage.kernel.plugins()).toEqual(['b']);
  });
});

describe.each(tiers)('leaving, as pluggy has it (%s)', (tier) => {
  it('calls a plugin no more once it is unregistered', async () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    stage.call('notify');
    const done = stage.kernel.unregister('a');
    stage.call('notify');
    expect(stage.log).toEqual(['b', 'a', 'b']);
    await done;
  });

  it('takes all handlers and wrappers of a plugin out of all hooks', async () => {
    const stage = new Stage(tier);
    const say = () => void stage.log.push('p');
    const scope = stage.put({
      name: 'p',
      handlers: [
        { hook: 'notify', handler: say },
        { hook: 'notify', wrapper: say },
        { hook: 'collect', handler: say },
        { hook: 'first', handler: say },
      ],
    });
    for (const hook of ['notify', 'collect', 'first'] as const) stage.hook(hook);
    await scope.dispose();
    for (const hook of Object.keys(table)) expect(stage.kernel.hook(hook as HookId).size).toBe(0);
    for (const hook of ['notify', 'collect', 'first'] as const) stage.call(hook);
    expect(stage.log).toEqual([]);
  });
});

describe('the register of plugins, as pluggy has it', () => {
  it('lists the plugins in the order in which they came', async () => {
    const stage = new Stage();
    for (const name of ['b', 'a', 'c']) stage.speaker(name, 'notify', { tryfirst: name === 'a' });
    expect(stage.kernel.plugins()).toEqual(['b', 'a', 'c']);
    await stage.kernel.unregister('b');
    expect(stage.kernel.plugins()).toEqual(['a', 'c']);
  });

  it('says whether a plugin is there', async () => {
    const stage = new Stage();
    expect(stage.kernel.has('a')).toBe(false);
    const scope = stage.speaker('a', 'notify');
    expect([stage.kernel.has('a'), scope.live, scope.plugin]).toEqual([true, true, 'a']);
    await scope.dispose();
    expect([stage.kernel.has('a'), scope.live]).toEqual([false, false]);
  });

  it('says which hooks a plugin implements, each once', () => {
    const stage = new Stage();
    stage.put({
      name: 'p',
      handlers: [
        { hook: 'collect', handler: nothing },
        { hook: 'notify', wrapper: nothing },
        { hook: 'collect', handler: nothing },
      ],
    });
    expect(stage.kernel.hooksOf('p')).toEqual(['collect', 'notify']);
    expect(stage.kernel.hooksOf('nobody')).toEqual([]);
  });

  it('refuses to unregister whom it does not know, and names the nearest', async () => {
    const stage = new Stage();
    stage.speaker('memory', 'notify');
    const error = await errorOf(() => stage.kernel.unregister('memroy'));
    expect(error).toMatchObject({ code: 'PLUGIN_UNKNOWN', plugin: 'memroy' });
    expect(error.message).toContain('did you mean "memory"?');
  });

  it('undoes what a plugin deferred, the last first, and only once', async () => {
    const stage = new Stage();
    const scope = stage.add('a', 'notify', (_payload, context: { defer(undo: () => unknown): void }) => {
      context.defer(() => stage.log.push('handler'));
    });
    scope.defer(() => void stage.log.push('one'));
    scope.defer(async () => {
      await turn();
      stage.log.push('two');
    });
    stage.call('notify');
    await Promise.all([scope.dispose(), scope.dispose()]);
    await scope.dispose();
    expect(stage.log).toEqual(['handler', 'two', 'one']);
  });

  it('tells of what fails while it is undone, and undoes the rest', async () => {
    const stage = new Stage();
    const scope = stage.speaker('a', 'notify');
    scope.defer(() => void stage.log.push('one'));
    scope.defer(() => {
      throw new Error('stuck');
    });
    scope.defer(() => Promise.reject(new Error('also stuck')));
    await scope.dispose();
    expect(stage.log).toEqual(['one']);
    expect(stage.told).toEqual(['a HANDLER_FAILED', 'a HANDLER_FAILED']);
  });

  it('undoes at once what is deferred when the plugin has gone', async () => {
    const stage = new Stage();
    const scope = stage.speaker('a', 'notify');
    await scope.dispose();
    scope.defer(() => void stage.log.push('undone'));
    await scope.dispose();
    expect(stage.log).toEqual(['undone']);
  });

  it('takes a plugin out at the end of a block that uses it', async () => {
    const stage = new Stage();
    {
      using scope = stage.speaker('a', 'notify');
      expect(stage.kernel.has(scope.plugin)).toBe(true);
    }
    expect(stage.kernel.has('a')).toBe(false);
    {
      await using scope = stage.speaker('b', 'notify');
      scope.defer(async () => {
        await turn();
        stage.log.push('b is gone');
      });
    }
    expect(stage.log).toEqual(['b is gone']);
  });

  it('can be left and entered under the same name any number of times', async () => {
    const stage = new Stage();
    for (let i = 0; i < 5; i++) {
      const scope = stage.speaker('a', 'notify');
      stage.call('notify');
      await scope.dispose();
    }
    expect(stage.log).toEqual(['a', 'a', 'a', 'a', 'a']);
    expect(stage.kernel.plugins()).toEqual([]);
  });
});
