import { definePlugin, type HookName, type Plugin, sample } from 'patchbay-sdk';
import { createTestHost } from 'patchbay-sdk/testing';
import { z } from 'patchbay-sdk/zod';
import { describe, expect, it, vi } from 'vitest';

const plugin = (name: string, hooks: NonNullable<Plugin<undefined>['hooks']>) =>
  definePlugin({ name, version: '1.0.0', hooks });
/** What somebody without a compiler may hand in. */
const untyped = <T>(value: unknown): T => value as T;

describe('configuration', () => {
  const configured = definePlugin({
    name: 'configured',
    version: '1.0.0',
    config: z.object({ channel: z.string(), retries: z.number().default(3) }),
  });

  it.each([
    [
      { chanel: 'ops' },
      'plugin "configured", config "chanel": there is no such field; did you mean "channel"?',
      'chanel',
    ],
    [
      { channel: 'ops', retries: 'many' },
      'plugin "configured", config "retries": Invalid input: expected number, received string',
      'retries',
    ],
    [{}, 'plugin "configured", config "channel": Invalid input: expected string, received undefined', 'channel'],
    [null, 'plugin "configured", config: Invalid input: expected object, received null', ''],
  ])('%j is refused, and the field named', (config, message, field) => {
    expect(() => createTestHost().load(configured, untyped(config))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message, plugin: 'configured', field }),
    );
  });

  it('is refused where the plugin takes none', () => {
    expect(() => createTestHost().load(plugin('plain', {}), untyped({ channel: 'ops' }))).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: 'plugin "plain", config "channel": there is no such field; there are none',
      }),
    );
  });

  it('leaves nothing behind when it is refused', async () => {
    const host = createTestHost();
    expect(() => host.load(configured, untyped({ channel: 1 }))).toThrow();
    host.load(configured, { channel: 'ops' });
    await host.close();
  });
});

describe('plugins are refused as by a real host', () => {
  it.each<[string, unknown, string, RegExp]>([
    [
      'a misspelt hook',
      { hooks: { 'turn:acepted': () => {} } },
      'HOOK_UNKNOWN',
      /"js".*"turn:acepted".*did you mean "turn:accepted"/,
    ],
    [
      'a misspelt field',
      { hooks: { 'turn:accepted': ({ sumary }: { sumary: 1 }) => sumary } },
      'HOOK_ARGUMENT_UNKNOWN',
      /"js".*"turn:accepted".*"sumary".*"summary"/,
    ],
    ['no handler', { hooks: { 'turn:accepted': 7 } }, 'HANDLER_INVALID', /"js".*"turn:accepted".*function, not number/],
    ['an unknown field', { hook: {} }, 'PLUGIN_INVALID', /"js".*"hook".*did you mean "hooks"/],
  ])('%s', (_, definition, code, message) => {
    const js = untyped<Plugin<undefined>>({ name: 'js', version: '1.0.0', ...(definition as object) });
    const refused = expect.objectContaining({ code, plugin: 'js', message: expect.stringMatching(message) });
    expect(() => createTestHost(js)).toThrow(refused);
    expect(() => createTestHost().load(js)).toThrow(refused);
  });

  it.each([[null], [undefined], ['plugin'], [[]]])('%j is no plugin', (definition) => {
    expect(() => createTestHost().load(untyped<Plugin<undefined>>(definition))).toThrow(
      expect.objectContaining({ code: 'PLUGIN_INVALID' }),
    );
  });
});

describe('a payload field that does not exist', () => {
  const reading = (field: string, name = 'reader') =>
    plugin(name, { 'turn:accepted': (turn) => void turn[untyped<'summary'>(field)] });

  it('fails the handler that reads it by a computed name, and says what is near', async () => {
    const { failures } = (await createTestHost(reading('sumary')).fire('turn:accepted')).assertFailed('HANDLER_FAILED');
    expect(failures[0]?.message).toBe(
      'plugin "reader" in hook "turn:accepted" failed: hook "turn:accepted": reads "sumary", which the payload does not have; did you mean "summary"?',
    );
    expect(failures[0]).toMatchObject({ plugin: 'reader', cause: { code: 'HOOK_ARGUMENT_UNKNOWN', field: 'sumary' } });
  });

  it('does not fail the handlers of other plugins', async () => {
    const fired = await createTestHost(reading('summary', 'good'), reading('sumary')).fire('turn:accepted');
    fired.assertCalled('reader', 'good');
    expect(fired.failures.map((failure) => failure.plugin)).toEqual(['reader']);
  });

  it('may be read if the table has it and only this payload lacks it', async () => {
    const seen: unknown[] = [];
    const host = createTestHost(plugin('reader', { 'run:started': ({ resumes }) => void seen.push(resumes) }));
    (await host.fire('run:started')).assertOk();
    expect(seen).toEqual([undefined]);
  });

  it('fails a handler later in a waterfall, too, after another has changed the payload', async () => {
    const host = createTestHost(
      plugin('reader', {
        'turn:dispatched': { advisory: true, handler: (turn) => void turn[untyped<'goal'>('gaol')] },
      }),
      plugin('changer', {
        'turn:dispatched': { tryfirst: true, handler: (turn) => ({ ...turn, summary: 'changed' }) },
      }),
    );
    const fired = await host.fire('turn:dispatched');
    fired.assertCalled('changer', 'reader').assertFailed('HANDLER_FAILED');
  });
});

describe('a payload in the test host can be used as in a real one', () => {
  const using = async (use: (turn: object) => unknown) => {
    const results: unknown[] = [];
    const host = createTestHost(plugin('user', { 'turn:accepted': (turn) => void results.push(use(turn)) }));
    (await host.fire('turn:accepted')).assertOk();
    return results[0];
  };

  it('can be spread, listed, tested with `in` and turned into JSON and back', async () => {
    expect(await using((turn) => ({ ...turn }))).toEqual(sample('turn:accepted'));
    expect(await using((turn) => JSON.parse(JSON.stringify(turn)))).toEqual(sample('turn:accepted'));
    expect(await using((turn) => 'sumary' in turn)).toBe(false);
    expect(await using((turn) => Object.keys(turn))).toEqual(Object.keys(sample('turn:accepted')));
    expect(await using((turn) => String(turn))).toBe('[object Object]');
    expect(await using((turn) => Object.hasOwn(turn, 'summary'))).toBe(true);
  });

  it.each([['at once', (turn: object) => turn] as const, ['later', async (turn: object) => turn] as const])(
    'can be answered as it is, %s',
    async (_, handler) => {
      const host = createTestHost(plugin('echo', { 'turn:dispatched': untyped(handler) }));
      (await host.fire('turn:dispatched')).assertOk();
    },
  );

  it('can be cloned', async () => {
    expect(await using((turn) => structuredClone(turn))).toEqual(sample('turn:accepted'));
  });

  it('can be kept and compared afterwards, as tests do', async () => {
    expect(await using((turn) => turn)).toEqual(sample('turn:accepted'));
  });

  it('can be given to a mock function and asked for afterwards', async () => {
    const handler = vi.fn();
    (await createTestHost(plugin('mock', { 'turn:accepted': handler })).fire('turn:accepted')).assertOk();
    expect(handler).toHaveBeenCalledWith(expect.objectContaining({ role: 'developer' }), expect.anything());
  });

  it('cannot be changed', async () => {
    const host = createTestHost(
      plugin('writer', {
        'turn:accepted': (turn) => {
          turn.cost.usd = 0;
        },
      }),
    );
    (await host.fire('turn:accepted')).assertFailed('HANDLER_FAILED');
  });
});

describe('a wrong firing is refused before anyone sees it', () => {
  it('when the payload does not fit the table', async () => {
    const handler = vi.fn();
    const host = createTestHost(plugin('seer', { 'turn:failed': () => handler() }));
    await expect(host.fire('turn:failed', untyped({ timed_out: 'yes' }))).rejects.toMatchObject({
      code: 'HOOK_ARGUMENT_UNKNOWN',
      hook: 'turn:failed',
      message: expect.stringMatching(/the payload for hook "turn:failed" is wrong: timed_out: .*expected boolean/),
    });
    await expect(host.fire('turn:failed', untyped({ timedout: true }))).rejects.toThrow('timedout');
    expect(handler).not.toHaveBeenCalled();
  });

  it('when there is no such hook', async () => {
    await expect(createTestHost().fire(untyped<HookName>('turn:acepted'))).rejects.toMatchObject({
      code: 'HOOK_UNKNOWN',
      message: expect.stringContaining('did you mean "turn:accepted"?'),
    });
  });
});
