import { runInThisContext } from 'node:vm';
import { fromDefinition, inspectHandler } from 'patchbay-host/dialects';
import { Kernel } from 'patchbay-host/kernel';
import { hooks } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

/** Loads a plugin as somebody wrote it in plain JavaScript: the text is not compiled by anything before. */
function load(text: string): Kernel<typeof hooks> {
  const kernel = new Kernel(hooks, { inspect: inspectHandler });
  const implementations: unknown = runInThisContext(`({ ${text} })`);
  kernel.register(fromDefinition({ name: 'js', version: '1.0.0', hooks: implementations }));
  return kernel;
}

describe('a misspelt hook is refused with the plugin, the hook and the nearest one', () => {
  it.each([
    ["'turn:acepted': () => {}", 'turn:acepted', 'did you mean "turn:accepted"?'],
    ["'turn_accepted': () => {}", 'turn_accepted', 'did you mean "turn:accepted"?'],
    ['agentcore: () => {}', 'agentcore', 'did you mean "agentCore"?'],
    ["'run:start': { handler: () => {} }", 'run:start', 'did you mean "run:started"?'],
    ["'turn:acepted': [{ wrapper: () => {} }]", 'turn:acepted', 'did you mean "turn:accepted"?'],
    ['whatever: () => {}', 'whatever', 'known are run:started, turn:dispatched, '],
    ['hasOwnProperty: () => {}', 'hasOwnProperty', 'known are run:started'],
  ])('%s', (text, hook, near) => {
    expect(() => load(text)).toThrow(
      expect.objectContaining({
        code: 'HOOK_UNKNOWN',
        plugin: 'js',
        hook,
        message: expect.stringContaining(`plugin "js" implements hook "${hook}", which does not exist; ${near}`),
      }),
    );
  });

  it('leaves out an optional one instead', () => {
    expect(load("'turn:mused': { optional: true, handler: ({ nonsense }) => nonsense }").has('js')).toBe(true);
  });
});

describe('a misspelt payload field is refused with the plugin, the hook and the nearest one', () => {
  it.each([
    ['in the pattern of an arrow', "'turn:accepted': ({ sumary }) => sumary"],
    ['in the pattern of a function', "'turn:accepted': function ({ sumary }) {}"],
    ['in the pattern of a named function', "'turn:accepted': function told({ sumary }) {}"],
    ['in the pattern of an async arrow', "'turn:accepted': async ({ sumary }) => {}"],
    ['in the pattern of an async function', "'turn:accepted': async function ({ sumary }) {}"],
    ['in the pattern of a method', "'turn:accepted'({ sumary }) {}"],
    ['in the pattern of an async method', "async 'turn:accepted'({ sumary }) {}"],
    ['in the pattern of a method with a computed name', "['turn:' + 'accepted']({ sumary }) {}"],
    ['beside good ones', "'turn:accepted': ({ role, sumary, phase }) => {}"],
    ['under another name', "'turn:accepted': ({ sumary: text }) => text"],
    ['with a default', "'turn:accepted': ({ sumary = 'none' }) => sumary"],
    ['in quotes', "'turn:accepted': ({ 'sumary': text }) => text"],
    ['taken apart further', "'turn:accepted': ({ sumary: { length } }) => length"],
    ['in a pattern with a default', "'turn:accepted': ({ sumary } = {}) => sumary"],
    ['before a rest', "'turn:accepted': ({ sumary, ...rest }) => rest"],
    ['before a context', "'turn:accepted': ({ sumary }, { log }) => log.info(sumary)"],
    ['read from an arrow', "'turn:accepted': p => p.sumary"],
    ['read from a function', "'turn:accepted': function (p) { return p.sumary; }"],
    ['read from a method', "'turn:accepted'(p) { return p.sumary; }"],
    ['read from an async function', "'turn:accepted': async (p) => { await 0; return p.sumary; }"],
    ['read in quotes', "'turn:accepted': (p) => p['sumary']"],
    ['read with a question mark', "'turn:accepted': (p) => p?.sumary?.length"],
    ['read deep inside', "'turn:accepted': (p) => { if (p.role) return () => [1].map(() => String(p.sumary)); }"],
    ['taken out in a declaration', "'turn:accepted': (p) => { const { sumary } = p; return sumary; }"],
    ['taken out under another name', "'turn:accepted': (p) => { let { role, sumary: s } = p; return s; }"],
    ['in a handler with options', "'turn:accepted': { tryfirst: true, handler: ({ sumary }) => sumary }"],
    ['in a method of a spec', "'turn:accepted': { handler(p) { return p.sumary; } }"],
    ['in a wrapper', "'turn:accepted': { wrapper: ({ sumary }) => {} }"],
    ['in the second of a list', "'turn:accepted': [{ handler: (p) => p.role }, { handler: (p) => p.sumary }]"],
  ])('%s', (_, text) => {
    expect(() => load(text)).toThrow(
      expect.objectContaining({
        code: 'HOOK_ARGUMENT_UNKNOWN',
        plugin: 'js',
        hook: 'turn:accepted',
        field: 'sumary',
        message:
          'plugin "js", hook "turn:accepted": reads "sumary", which the payload does not have; did you mean "summary"?',
      }),
    );
  });

  it('in what it provides, too', () => {
    expect(() => load('channel: ({ onMesage }) => null')).toThrow(/hook "channel": reads "onMesage".*"onMessage"/);
    expect(() => load('tunnel: ({ folder }) => null')).toThrow(/hook "tunnel": reads "folder".*there are none/);
  });

  it('leaves nothing of the plugin in the host', () => {
    const kernel = new Kernel(hooks, { inspect: inspectHandler });
    const text = "({ 'turn:rejected': () => {}, 'turn:accepted': (p) => p.sumary })";
    const definition = { name: 'js', version: '1.0.0', hooks: runInThisContext(text) };
    expect(() => kernel.register(fromDefinition(definition))).toThrow();
    expect(kernel.plugins()).toEqual([]);
    expect(kernel.hook('turn:rejected').size).toBe(0);
  });
});

describe('what is right, or cannot be known, is not refused', () => {
  it.each([
    ['fields that are there', "'turn:accepted': ({ summary, role, result: { decisions } }) => {}"],
    ['a field that may be left out', "'run:started': (p) => p.resumes"],
    ['fields of fields', "'turn:accepted': (p) => p.result.whatever.else"],
    ['no parameter', "'turn:accepted': () => {}"],
    ['a name that an inner function shadows', "'turn:accepted': (p) => [{}].map((p) => p.sumary)"],
    ['a name that an inner variable shadows', "'turn:accepted': (p) => { { const p = {}; return p.sumary; } }"],
    ['a name that a loop shadows', "'turn:accepted': (p) => { for (const p of []) p.sumary; }"],
    ['a name that a catch shadows', "'turn:accepted': (p) => { try { a(); } catch (p) { p.sumary; } }"],
    ['a name that a function shadows', "'turn:accepted': (p) => { function p() {} return p.sumary; }"],
    ['a name that a class shadows', "'turn:accepted': (p) => { { class p {} return p.sumary; } }"],
    ['a name that a pattern shadows', "'turn:accepted': (p) => { { const { p } = {}; p.sumary; } }"],
    ['a parameter that is assigned', "'turn:accepted': (p) => { p = { sumary: 1 }; return p.sumary; }"],
    ['a parameter that is assigned if missing', "'turn:accepted': (p) => { p ??= {}; return p.sumary; }"],
    ['a parameter that is assigned by a pattern', "'turn:accepted': (p) => { [p] = [{}]; return p.sumary; }"],
    ['a parameter that is assigned by a loop', "'turn:accepted': (p) => { for (p of [{}]) p.sumary; }"],
    ['a field that is tested for', "'turn:accepted': (p) => ('sumary' in p ? p.sumary : null)"],
    ['a computed access', "'turn:accepted': (p) => p['sum' + 'ary']"],
    ['an access by a variable', "'turn:accepted': (p, { hook }) => p[hook]"],
    ['a computed pattern', "'turn:accepted': ({ ['sum' + 'ary']: text }) => text"],
    ['the rest of a pattern', "'turn:accepted': ({ role, ...p }) => p.sumary"],
    ['rest parameters', "'turn:accepted': (...p) => p.length"],
    ['what every object has', "'turn:accepted': (p) => p.hasOwnProperty('x') && p.toString()"],
    ['what every object has, in a pattern', "'turn:accepted': ({ constructor }) => constructor.name"],
    ['an inner property of the same name', "'turn:accepted': (p) => ({ p: { sumary: 1 } }).p.sumary"],
    ['arguments', "'turn:accepted': function () { return arguments[0].sumary; }"],
    ['a bound function', "'turn:accepted': (function (p) { return p.sumary; }).bind(null)"],
    ['a native function', "'turn:accepted': isNaN"],
    ['a function behind a proxy', "'turn:accepted': new Proxy((p) => p.sumary, {})"],
    [
      'a function that lies about its source',
      "'turn:accepted': Object.assign((p) => p.role, { toString: () => '(p) => p.sumary' })",
    ],
    ['a comment in place of code', "'turn:accepted': (p /* { sumary } */) => 'p.sumary' // p.sumary\n"],
  ])('%s', (_, text) => {
    expect(load(text).has('js')).toBe(true);
  });

  it('any field of a hook whose payload takes any', () => {
    const table = {
      open: { ...hooks['host:ready'], payload: z.looseObject({ name: z.string() }) },
    };
    const kernel = new Kernel(table, { inspect: inspectHandler });
    const definition = {
      name: 'js',
      version: '1.0.0',
      hooks: runInThisContext('({ open: ({ anything }) => anything })'),
    };
    kernel.register(fromDefinition(definition));
    expect(kernel.has('js')).toBe(true);
  });
});
