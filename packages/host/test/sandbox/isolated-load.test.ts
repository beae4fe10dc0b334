import { PatchbayError, sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { bench, pluginText } from './isolated-fixture.ts';

const typed = `
  import { definePlugin } from 'patchbay-sdk';
  import { z } from 'patchbay-sdk/zod';
  const config = z.object({ level: z.number(), unit: z.string().default('m') });
  export default definePlugin({ name: 'it', version: '1.0.0', config, hooks: { 'host:ready': () => undefined } });`;

/** What describing a plugin is refused with. */
async function refusal(text: string, config: unknown = {}, file = 'index.mjs'): Promise<PatchbayError> {
  const { plugin } = bench(text, { file, config });
  const error = await plugin.describe().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PatchbayError);
  expect(plugin.state().running).toBe(false);
  return error as PatchbayError;
}

describe('describing an isolated plugin', () => {
  it('tells name, version, dialect and handlers, as plain JSON', async () => {
    const hooks = `'turn:accepted': [() => {}, { id: 'b', tryfirst: true, before: ['x'], deadlineMs: 5, handler: () => {} }],
      'gate:pending': { wrapper: () => {} }, 'no:such': { optional: true, handler: () => {} }`;
    const { plugin } = bench(pluginText(hooks, '', `dialect: 'pace'`));
    const description = await plugin.describe();
    expect(description).toEqual({
      name: 'it',
      version: '1.0.0',
      dialect: 'pace',
      handlers: [
        { hook: 'turn:accepted', index: 0, wraps: false, options: {} },
        {
          hook: 'turn:accepted',
          index: 1,
          wraps: false,
          options: { id: 'b', tryfirst: true, before: ['x'], deadlineMs: 5 },
        },
        { hook: 'gate:pending', index: 2, wraps: true, options: {} },
        { hook: 'no:such', index: 3, wraps: false, options: { optional: true } },
      ],
    });
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  });

  it('lends the SDK to a TypeScript plugin that has none', async () => {
    const { plugin } = bench(typed, { file: 'index.ts', config: { level: 3 } });
    expect(await plugin.describe()).toMatchObject({ name: 'it', handlers: [{ hook: 'host:ready' }] });
  });

  it.each([
    [
      'a field that the schema does not have',
      { level: 1, lvel: 2 },
      'lvel',
      /config "lvel": there is no such field; did you mean "level"/,
    ],
    ['a wrong type', { level: 'high' }, 'level', /config "level": .*number/],
    ['a missing field', {}, 'level', /config "level"/],
  ])('refuses configuration with %s', async (_, config, field, message) => {
    const error = await refusal(typed, config, 'index.ts');
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', plugin: 'it', field });
    expect(error.message).toMatch(message);
  });

  it.each([
    [
      'a module that throws',
      `throw new Error('no luck');`,
      'PLUGIN_LOAD',
      /cannot be loaded from .*index\.mjs: no luck/,
    ],
    ['a syntax error', 'export default {', 'PLUGIN_LOAD', /cannot be loaded from .*Unexpected/],
    ['no default export', 'export const it = 1;', 'PLUGIN_LOAD', /as default, but has no default export/],
    [
      'another name',
      `export default { name: 'other', version: '1.0.0' };`,
      'PLUGIN_LOAD',
      /must export a plugin named "it" as default, not "other"/,
    ],
    ['a missing dependency', `import 'no-such-package';`, 'PLUGIN_LOAD', /no-such-package/],
    ['an exit while loading', 'process.exit(3);', 'PLUGIN_LOAD', /cannot be loaded from .*: exited with code 3/],
    [
      'an unknown field',
      pluginText('', '', 'hoks: {}'),
      'PLUGIN_INVALID',
      /unknown field "hoks", did you mean "hooks"/,
    ],
    [
      'a wrong version',
      `export default { name: 'it', version: 'one' };`,
      'PLUGIN_INVALID',
      /"version" must be a semantic version/,
    ],
    ['an unknown hook', pluginText(`'turn:acepted': () => {}`), 'HOOK_UNKNOWN', /did you mean "turn:accepted"/],
    [
      'an unknown option',
      pluginText(`'turn:accepted': { tryFirst: true, handler: () => {} }`),
      'HANDLER_INVALID',
      /unknown option "tryFirst"/,
    ],
    ['a handler that is none', pluginText(`'turn:accepted': 7`), 'HANDLER_INVALID', /must be a function, not number/],
    [
      'a handler of three arguments',
      pluginText(`'turn:accepted': (a, b, c) => {}`),
      'HOOK_ARGUMENT_UNKNOWN',
      /takes 3 arguments/,
    ],
    [
      'a handler that reads what is not there',
      pluginText(`'turn:accepted': ({ sumary }) => sumary`),
      'HOOK_ARGUMENT_UNKNOWN',
      /reads "sumary".*did you mean "summary"/,
    ],
  ])('refuses %s', async (_, text, code, message) => {
    const error = await refusal(text);
    expect(error).toMatchObject({ code, plugin: 'it' });
    expect(error.message).toMatch(message);
  });

  it('gives up on a module that does not finish loading', async () => {
    for (const text of ['await new Promise(() => setInterval(() => {}, 1000));', 'for (;;);']) {
      const { plugin } = bench(text, { limits: { startMs: 1000 } });
      await expect(plugin.describe()).rejects.toMatchObject({
        code: 'PLUGIN_LOAD',
        message: expect.stringMatching(/it did not finish within 1 s/),
      });
    }
  });

  it('is not needed where the description is known, and refuses a plugin that is another by now', async () => {
    const first = bench(pluginText(`'turn:accepted': () => ({ verdict: 'ok' })`));
    const description = JSON.parse(JSON.stringify(await first.plugin.describe()));
    const same = bench(pluginText(`'turn:accepted': () => ({ verdict: 'fail', message: 'called' })`));
    same.kernel.register(same.plugin.registration(description));
    expect(same.plugin.state()).toEqual({ running: false, starts: 0 });
    await same.kernel.call('turn:accepted', sample('turn:accepted'));
    expect(same.failures[0]?.message).toMatch(/failed: called/);

    const other = bench(pluginText(`'turn:rejected': () => {}`));
    other.kernel.register(other.plugin.registration(description));
    await other.kernel.call('turn:accepted', sample('turn:accepted'));
    expect(other.failures[0]?.message).toMatch(/it is not what it was when it was described/);
  });
});
