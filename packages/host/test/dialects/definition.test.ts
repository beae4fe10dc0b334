import { fromDefinition } from 'patchbay-host/dialects';
import { Kernel } from 'patchbay-host/kernel';
import { hooks, sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';

const good = { name: 'js', version: '1.0.0' };
const load = (definition: unknown) => {
  const kernel = new Kernel(hooks);
  kernel.register(fromDefinition(definition));
  return kernel;
};

describe('a definition with a wrong field is refused, and the field named', () => {
  it.each<[string, unknown, string, string]>([
    [
      'no name',
      { version: '1.0.0' },
      'name',
      'plugin "(without a name)": "name" must be lower-case letters, digits and dashes, not undefined',
    ],
    ['a number as name', { ...good, name: 7 }, 'name', 'not 7'],
    ['an empty name', { ...good, name: '' }, 'name', 'not ""'],
    ['capitals', { ...good, name: 'Notes' }, 'name', 'plugin "Notes": "name" must be lower-case'],
    ['spaces', { ...good, name: 'my notes' }, 'name', 'not "my notes"'],
    ['a path as name', { ...good, name: '../notes' }, 'name', 'not "../notes"'],
    ['a name of two lines', { ...good, name: 'notes\nmore' }, 'name', 'not "notes\\nmore"'],
    ['a bad scope', { ...good, name: '@Me/notes' }, 'name', 'not "@Me/notes"'],
    [
      'no version',
      { name: 'js' },
      'version',
      'plugin "js": "version" must be a semantic version like 1.0.0, not undefined',
    ],
    ['a number as version', { ...good, version: 1 }, 'version', 'not 1'],
    ['half a version', { ...good, version: '1.0' }, 'version', 'not "1.0"'],
    ['a version with a letter', { ...good, version: 'v1.0.0' }, 'version', 'not "v1.0.0"'],
    ['hooks as a list', { ...good, hooks: [] }, 'hooks', '"hooks" must be an object by name of hook'],
    ['hooks as null', { ...good, hooks: null }, 'hooks', '"hooks" must be an object by name of hook'],
    ['hooks as a function', { ...good, hooks: () => {} }, 'hooks', '"hooks" must be an object by name of hook'],
    ['provides as a text', { ...good, provides: 'memory' }, 'provides', '"provides" must be an object by name of hook'],
    ['a misspelt field', { ...good, hook: {} }, 'hook', 'unknown field "hook", did you mean "hooks"?'],
    ['another misspelt field', { ...good, provide: {} }, 'provide', 'did you mean "provides"?'],
    [
      'a field that is nowhere near',
      { ...good, permissions: [] },
      'permissions',
      'known are name, version, config, dialect, hooks, provides',
    ],
    [
      'a config that is no schema',
      { ...good, config: { channel: 'string' } },
      'config',
      '"config" must be a schema (zod, valibot, …)',
    ],
    ['a config that is null', { ...good, config: null }, 'config', '"config" must be a schema'],
    ['a config that only looks like a schema', { ...good, config: { '~standard': {} } }, 'config', 'must be a schema'],
    [
      'a misspelt dialect',
      { ...good, dialect: 'pynchi' },
      'dialect',
      'unknown dialect "pynchi", did you mean "pynchy"?',
    ],
    ['a number as dialect', { ...good, dialect: 7 }, 'dialect', 'unknown dialect "7"'],
    ['a dialect that every object has', { ...good, dialect: 'toString' }, 'dialect', 'unknown dialect "toString"'],
  ])('%s', (_, definition, field, message) => {
    expect(() => load(definition)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_INVALID', field, message: expect.stringContaining(message) }),
    );
  });

  it.each([[undefined], [null], ['notes'], [7], [[]], [() => {}]])('%s is no definition at all', (definition) => {
    expect(() => load(definition)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_INVALID',
        message: 'a plugin must be the object that definePlugin gives',
      }),
    );
  });

  it.each([['notes'], ['@me/notes'], ['a1-b2'], ['@my-scope/x']])('"%s" is a good name', (name) => {
    expect(load({ ...good, name }).plugins()).toEqual([name]);
  });

  it.each([['1.0.0'], ['0.0.1'], ['1.2.3-beta.1'], ['1.0.0+build.7'], ['10.20.30']])(
    '"%s" is a good version',
    (version) => {
      expect(load({ ...good, version }).plugins()).toEqual(['js']);
    },
  );
});

describe('what stands behind the name of a hook', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'must be a function, not null'],
    ['a number', 7, 'must be a function, not number'],
    ['a text', 'handler', 'must be a function, not string'],
    ['options without a handler', { tryfirst: true }, 'needs a handler or a wrapper, and only one'],
    ['a handler and a wrapper', { handler: () => {}, wrapper: () => {} }, 'needs a handler or a wrapper, and only one'],
    ['a misspelt option', { tryFirst: true, handler: () => {} }, 'unknown option "tryFirst", did you mean "tryfirst"?'],
    ['a misspelt handler', { handle: () => {} }, 'unknown option "handle", did you mean "handler"?'],
    ['a text as flag', { tryfirst: 'yes', handler: () => {} }, '"tryfirst" must be true or false'],
    ['a text as list of names', { before: 'notes', handler: () => {} }, '"before" must be an array of plugin names'],
    [
      'a text as duration',
      { deadlineMs: '5s', handler: () => {} },
      '"deadlineMs" must be a positive number of milliseconds',
    ],
    ['both ends', { tryfirst: true, trylast: true, handler: () => {} }, 'cannot be both tryfirst and trylast'],
    ['a class', class Handler {}, 'must be a plain or async function, not a class or a generator'],
    ['something in a list', [() => {}, 7], 'must be a function, not number'],
  ])('is refused if it is %s, with plugin and hook', (_, implementation, message) => {
    expect(() => load({ ...good, hooks: { 'turn:accepted': implementation } })).toThrow(
      expect.objectContaining({
        code: 'HANDLER_INVALID',
        plugin: 'js',
        hook: 'turn:accepted',
        message: `plugin "js", hook "turn:accepted": ${message}`,
      }),
    );
  });

  it('may be left undefined', () => {
    expect(load({ ...good, hooks: { 'turn:accepted': undefined }, provides: undefined }).hooksOf('js')).toEqual([]);
  });

  it('may be a list of handlers, which are all called, in the order of their options', async () => {
    const calls: string[] = [];
    const kernel = load({
      ...good,
      hooks: {
        'turn:accepted': [
          () => void calls.push('plain'),
          { trylast: true, handler: () => void calls.push('last') },
          { tryfirst: true, id: 'eager', handler: () => void calls.push('first') },
        ],
      },
    });
    await kernel.call('turn:accepted', sample('turn:accepted'));
    expect(calls).toEqual(['first', 'plain', 'last']);
    expect(kernel.hook('turn:accepted').explain()[0]?.handler).toBe('eager');
  });

  it('may be a wrapper, alone or in a list', async () => {
    const calls: string[] = [];
    const wrapper = (name: string) => () => {
      calls.push(`${name} before`);
      return () => void calls.push(`${name} after`);
    };
    const kernel = load({
      ...good,
      hooks: {
        'turn:accepted': [{ wrapper: wrapper('a') }, { handler: () => void calls.push('handler') }],
        'turn:rejected': { wrapper: wrapper('b') },
      },
    });
    await kernel.call('turn:accepted', sample('turn:accepted'));
    await kernel.call('turn:rejected', sample('turn:rejected'));
    expect(calls).toEqual(['a before', 'handler', 'a after', 'b before', 'b after']);
  });

  it('may stand in `provides` as well', async () => {
    const kernel = load({ ...good, provides: { skills: () => ['/skills'] }, hooks: { 'turn:accepted': () => {} } });
    expect(kernel.hooksOf('js')).toEqual(['turn:accepted', 'skills']);
    expect(await kernel.call('skills', {})).toEqual([['/skills']]);
  });
});
