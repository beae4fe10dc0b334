import type { Dialect } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import type { HandlerInput } from '../../src/kernel/index.ts';
import { errorOf, type HookId, Stage, table, turn } from './fixture.ts';

const nothing = () => {};

describe('blocking, as pluggy has it', () => {
  it('takes a blocked plugin out at once', async () => {
    const stage = new Stage();
    stage.speaker('a', 'notify');
    const done = stage.kernel.block('a');
    stage.call('notify');
    expect(stage.log).toEqual([]);
    expect(stage.kernel.has('a')).toBe(false);
    await done;
  });

  it('refuses to let a blocked plugin in', async () => {
    const stage = new Stage();
    await stage.kernel.block('a');
    expect(await errorOf(() => stage.speaker('a', 'notify'))).toMatchObject({ code: 'PLUGIN_BLOCKED', plugin: 'a' });
    expect(stage.kernel.plugins()).toEqual([]);
  });

  it('can block what was never there, and says whether a name is blocked', async () => {
    const stage = new Stage();
    expect(stage.kernel.isBlocked('a')).toBe(false);
    await stage.kernel.block('a');
    expect(stage.kernel.isBlocked('a')).toBe(true);
    expect(stage.kernel.isBlocked('b')).toBe(false);
  });

  it('lets a plugin in again once it is unblocked, and says whether it was blocked', async () => {
    const stage = new Stage();
    await stage.kernel.block('a');
    expect(stage.kernel.unblock('a')).toBe(true);
    expect(stage.kernel.unblock('a')).toBe(false);
    stage.speaker('a', 'notify');
    stage.call('notify');
    expect(stage.log).toEqual(['a']);
  });

  it('does not bring a plugin back by unblocking alone', async () => {
    const stage = new Stage();
    stage.speaker('a', 'notify');
    await stage.kernel.block('a');
    stage.kernel.unblock('a');
    expect(stage.kernel.plugins()).toEqual([]);
  });

  it('waits until a blocked plugin has cleaned up', async () => {
    const stage = new Stage();
    const scope = stage.speaker('a', 'notify');
    scope.defer(async () => {
      await turn();
      stage.log.push('clean');
    });
    await stage.kernel.block('a');
    expect(stage.log).toEqual(['clean']);
  });
});

describe('registration, as pluggy has it', () => {
  const refusal = (input: HandlerInput) => {
    const stage = new Stage();
    return errorOf(() => stage.kernel.register({ name: 'p', handlers: [input] }));
  };

  it('refuses a second plugin of the same name and keeps the first', async () => {
    const stage = new Stage();
    stage.speaker('a', 'notify');
    const error = await errorOf(() => stage.kernel.register({ name: 'a', handlers: [] }));
    expect(error).toMatchObject({ code: 'PLUGIN_DUPLICATE', plugin: 'a' });
    stage.call('notify');
    expect(stage.log).toEqual(['a']);
  });

  it('refuses a plugin without a name', async () => {
    const stage = new Stage();
    for (const name of ['', undefined, 7] as string[]) {
      expect(await errorOf(() => stage.kernel.register({ name, handlers: [] }))).toMatchObject({
        code: 'PLUGIN_INVALID',
      });
    }
  });

  it('refuses a dialect that nobody speaks', async () => {
    const stage = new Stage();
    const error = await errorOf(() => stage.kernel.register({ name: 'a', dialect: 'pase' as Dialect, handlers: [] }));
    expect(error).toMatchObject({ code: 'PLUGIN_INVALID', plugin: 'a', field: 'dialect' });
    expect(error.message).toContain('did you mean "pace"?');
  });

  it('accepts a plugin that does nothing', () => {
    const stage = new Stage();
    stage.put({ name: 'idle', handlers: [] });
    expect(stage.kernel.plugins()).toEqual(['idle']);
    expect(stage.kernel.hooksOf('idle')).toEqual([]);
  });

  it('refuses a hook that does not exist and names the nearest, where pluggy asks for check_pending', async () => {
    const error = await refusal({ hook: 'notfy', handler: nothing });
    expect(error).toMatchObject({ code: 'HOOK_UNKNOWN', plugin: 'p', hook: 'notfy' });
    expect(error.message).toContain('did you mean "notify"?');
  });

  it('lists the hooks there are when none is near', async () => {
    const error = await refusal({ hook: 'something-completely-different', handler: nothing });
    for (const name of Object.keys(table)) expect(error.message).toContain(name);
  });

  it('does not take what every object has for a hook', async () => {
    for (const hook of ['constructor', 'toString', '__proto__']) {
      expect(await refusal({ hook, handler: nothing })).toMatchObject({ code: 'HOOK_UNKNOWN', hook });
    }
  });

  it('leaves an optional handler of an unknown hook out and takes the rest', () => {
    const stage = new Stage();
    stage.kernel.register({
      name: 'p',
      handlers: [
        { hook: 'of-the-future', handler: nothing, optional: true },
        { hook: 'notify', handler: () => void stage.log.push('p'), optional: true },
      ],
    });
    stage.call('notify');
    expect(stage.log).toEqual(['p']);
    expect(stage.kernel.hooksOf('p')).toEqual(['notify']);
  });

  it('refuses a handler that takes more arguments than there are', async () => {
    const error = await refusal({ hook: 'notify', handler: (a: unknown, b: unknown, c: unknown) => [a, b, c] });
    expect(error).toMatchObject({ code: 'HOOK_ARGUMENT_UNKNOWN', plugin: 'p', hook: 'notify' });
    expect(await refusal({ hook: 'notify', wrapper: (a: unknown, b: unknown, c: unknown) => [a, b, c] })).toMatchObject(
      { code: 'HOOK_ARGUMENT_UNKNOWN' },
    );
  });

  it('asks the inspector for fields that the payload does not have', async () => {
    const stage = new Stage('cold', { inspect: (fn) => (fn.length > 0 ? ['m'] : []) });
    const error = await errorOf(() => stage.add('p', 'counted', (payload: { n: number }) => payload));
    expect(error).toMatchObject({ code: 'HOOK_ARGUMENT_UNKNOWN', plugin: 'p', hook: 'counted', field: 'm' });
    expect(error.message).toContain('did you mean "n"?');
    stage.add('q', 'counted', () => null);
    stage.add('r', 'notify', (payload) => payload);
    expect(stage.kernel.plugins()).toEqual(['q', 'r']);
  });

  it.each([
    ['a generator function', function* () {}],
    ['an async generator function', async function* () {}],
    ['a generator method', { *m() {} }.m],
    ['an async generator method', { async *m() {} }.m],
    ['a class', class {}],
    ['a class with a name', class Named {}],
    ['null', null],
    ['a text', 'notify'],
    ['an object', {}],
  ])('refuses %s for a handler (a wrapper of pluggy would be a generator)', async (_what, handler) => {
    expect(await refusal({ hook: 'notify', handler })).toMatchObject({ code: 'HANDLER_INVALID', plugin: 'p' });
    expect(await refusal({ hook: 'notify', wrapper: handler })).toMatchObject({ code: 'HANDLER_INVALID' });
  });

  it.each([
    ['an arrow function', () => 1],
    ['an async function', async () => 1],
    [
      'a function',
      function named() {
        return 1;
      },
    ],
    ['a bound function', (() => 1).bind(null)],
    ['a method', { m: () => 1, n() {} }.n],
    ['a method whose name begins like "class"', { classify() {} }.classify],
    ['an arrow function whose parameter begins like "class"', new Function('return classes => classes')()],
    ['a proxy of a function', new Proxy(() => 1, {})],
  ])('accepts %s for a handler', (_what, handler) => {
    const stage = new Stage();
    stage.kernel.register({ name: 'p', handlers: [{ hook: 'notify', handler }] });
    expect(stage.kernel.hook('notify').size).toBe(1);
  });

  it.each([
    [{ tryfirst: true, trylast: true }, 'both tryfirst and trylast'],
    [{ tryfrist: true }, 'did you mean "tryfirst"?'],
    [{ constructor: true }, 'unknown option "constructor"'],
    [{ tryfirst: 'yes' }, '"tryfirst" must be true or false'],
    [{ before: 'a' }, '"before" must be an array of plugin names'],
    [{ after: [1] }, '"after" must be an array of plugin names'],
    [{ deadlineMs: 0 }, '"deadlineMs" must be a positive number'],
    [{ deadlineMs: Number.POSITIVE_INFINITY }, '"deadlineMs" must be a positive number'],
    [{ advisory: 1 }, '"advisory" must be true or false'],
    [{ id: '' }, '"id" must be a text'],
    [{ wrapper: nothing }, 'only one'],
    [{ handler: undefined }, 'needs a handler or a wrapper'],
  ])('refuses the options %j', async (options, message) => {
    const error = await refusal({ hook: 'notify', handler: nothing, ...(options as object) });
    expect(error).toMatchObject({ code: 'HANDLER_INVALID', plugin: 'p', hook: 'notify' });
    expect(error.message).toContain(message);
  });

  it('takes a plugin whole or not at all: the third of five handlers is bad', async () => {
    const stage = new Stage();
    stage.speaker('there', 'notify');
    const snapshot = () => [
      stage.kernel.plugins(),
      Object.keys(table).map((hook) => stage.kernel.hook(hook as HookId).explain()),
    ];
    const before = snapshot();
    const handler = () => void stage.log.push('p');
    for (const bad of [
      { hook: 'nonsense', handler },
      { hook: 'collect', handler: 5 },
      { hook: 'notify', handler, before: ['p'] },
      { hook: 'notify', handler, tryfirst: true, after: ['there'] },
    ]) {
      const handlers = [
        { hook: 'notify', handler },
        { hook: 'collect', handler },
        bad,
        { hook: 'first', handler },
        { hook: 'notify', wrapper: handler },
      ];
      expect((await errorOf(() => stage.kernel.register({ name: 'p', handlers }))).plugin).toBe('p');
      expect(snapshot()).toEqual(before);
      stage.log.length = 0;
      stage.call('notify');
      expect(stage.log).toEqual(['there']);
    }
    stage.speaker('p', 'notify');
    expect(stage.kernel.plugins()).toEqual(['there', 'p']);
  });

  it('replays nothing and warns of nothing for a plugin that is refused', async () => {
    const stage = new Stage();
    stage.call('past', 1);
    const handler = () => void stage.log.push('p');
    const handlers = ['past', 'old', 'nonsense'].map((hook) => ({ hook, handler }));
    expect((await errorOf(() => stage.kernel.register({ name: 'p', handlers }))).code).toBe('HOOK_UNKNOWN');
    expect([stage.log, stage.warnings]).toEqual([[], []]);
  });

  it('warns of a deprecated hook, once for each plugin', () => {
    const stage = new Stage();
    stage.put({
      name: 'p',
      handlers: [
        { hook: 'old', handler: nothing },
        { hook: 'old', handler: nothing },
        { hook: 'notify', handler: nothing },
      ],
    });
    stage.speaker('q', 'notify');
    expect(stage.warnings).toEqual(['plugin "p" implements hook "old", which is deprecated: use "notify"']);
  });
});
