import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { PatchbayError } from 'patchbay-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/install/manifest/manifest.ts';

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A package of these files; objects are written as JSON. */
function pack(files: Record<string, unknown>): string {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-manifest-'));
  made.push(dir);
  for (const [name, content] of Object.entries(files)) {
    const file = join(dir, name);
    mkdirSync(dirname(file), { recursive: true });
    const plain = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, plain ? content : JSON.stringify(content));
  }
  return dir;
}

function errorOf(act: () => unknown): PatchbayError {
  try {
    act();
  } catch (error) {
    if (error instanceof PatchbayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** The example of the AgentXchain document. */
const slack = {
  name: 'plugin-slack-notify',
  version: '1.2.0',
  description: 'Post turn summaries to Slack on accept/reject',
  author: 'agentxchain',
  license: 'MIT',
  hooks: [
    { event: 'turn:accepted', type: 'script', run: './hooks/on-accept.sh', timeout_ms: 10_000 },
    { event: 'turn:rejected', type: 'script', run: './hooks/on-reject.sh' },
  ],
  config_schema: { type: 'object', properties: { webhook_url: { type: 'string' } }, required: ['webhook_url'] },
};
const scripts = { 'hooks/on-accept.sh': '#!/bin/sh\n', 'hooks/on-reject.sh': '#!/bin/sh\n' };
const http = {
  event: 'turn:accepted',
  type: 'http',
  url: 'https://my-service.example.com:8443/hooks',
  method: 'POST',
  headers: { Authorization: 'Bearer ${AGENTXCHAIN_HOOK_TOKEN}', 'X-Run-Id': '${run_id}' },
  timeout_ms: 15_000,
};
const document = (changes: object, files: object = scripts) =>
  pack({ 'agentxchain-plugin.json': { ...slack, ...changes }, ...files });

describe('agentxchain-plugin.json in the form of the document', () => {
  it('is read with its hooks, its schema and the default time of 30 s', () => {
    const { handlers, hooks, configSchema, ...manifest } = readManifest(document({}));
    expect(manifest).toMatchObject({
      form: 'agentxchain',
      name: 'plugin-slack-notify',
      version: '1.2.0',
      asks: [],
      warnings: [],
    });
    expect(handlers).toEqual([
      { event: 'turn:accepted', timeoutMs: 10_000, type: 'script', run: './hooks/on-accept.sh' },
      { event: 'turn:rejected', timeoutMs: 30_000, type: 'script', run: './hooks/on-reject.sh' },
    ]);
    expect(hooks).toEqual(['turn:accepted', 'turn:rejected']);
    expect(configSchema).toEqual(slack.config_schema);
  });

  it('asks, without saying so, for the hosts and the variables of its HTTP hooks, not for the event context', () => {
    const { asks } = readManifest(document({ hooks: [http] }));
    expect(asks).toEqual(['env:AGENTXCHAIN_HOOK_TOKEN', 'net:my-service.example.com:8443']);
  });

  it('tells of fields that nobody reads, with the nearest one', () => {
    expect(readManifest(document({ licence: 'MIT' })).warnings).toEqual([
      'field "licence" is not read; did you mean "license"?',
    ]);
  });

  it('tells every problem at once, each with its path', () => {
    const { problems, message, code } = errorOf(() =>
      readManifest(
        document({
          name: 'Not A Name',
          version: '1.2',
          license: 'My own',
          hooks: [
            { event: 'turn:acepted', type: 'script', run: '../outside.sh' },
            { ...http, method: 'GET', url: 'ftp://x', timeout_ms: 0 },
          ],
        }),
      ),
    );
    expect(code).toBe('MANIFEST_INVALID');
    expect(problems?.map(({ path }) => path).sort()).toEqual(
      [
        'hooks[0].event',
        'hooks[0].run',
        'hooks[1].method',
        'hooks[1].timeout_ms',
        'hooks[1].url',
        'license',
        'name',
        'version',
      ].sort(),
    );
    expect(message).toContain('did you mean "turn:accepted"?');
    expect(message).toContain('only POST is possible');
  });

  it.each([['..'], ['__proto__'], ['a/b'], ['A'], [''], ['x'.repeat(65)], [7]])('refuses the name %j', (name) => {
    expect(errorOf(() => readManifest(document({ name }))).problems?.[0]?.path).toBe('name');
  });

  it.each([['/etc/passwd'], ['../x'], ['a/../../x'], ['..'], ['C:\\x'], ['a\\b'], ['']])(
    'refuses the script %j',
    (run) => {
      const hooks = [{ event: 'turn:accepted', type: 'script', run }];
      expect(errorOf(() => readManifest(document({ hooks }))).problems?.[0]?.path).toBe('hooks[0].run');
    },
  );

  it('refuses scripts that are not there, are folders, or lead out by a link', () => {
    const hooks = ['missing.sh', 'hooks', 'link.sh'].map((run) => ({ event: 'turn:accepted', type: 'script', run }));
    const dir = document({ hooks });
    symlinkSync('/bin/sh', join(dir, 'link.sh'));
    expect(errorOf(() => readManifest(dir)).problems).toEqual([
      { path: 'hooks[0].run', message: 'there is no file "missing.sh" in the package' },
      { path: 'hooks[1].run', message: '"hooks" is not a file' },
      { path: 'hooks[2].run', message: '"link.sh" leads out of the package' },
    ]);
  });

  it.each([[0], [-1], [1.5], [3_600_001], ['10'], [null]])('refuses a timeout_ms of %j', (timeout_ms) => {
    const hooks = [{ ...http, timeout_ms }];
    expect(errorOf(() => readManifest(document({ hooks }))).problems?.[0]?.path).toBe('hooks[0].timeout_ms');
  });

  it('refuses header values with line breaks', () => {
    const hooks = [{ ...http, headers: { A: 'b\r\nEvil: 1' } }];
    expect(errorOf(() => readManifest(document({ hooks }))).problems?.[0]?.path).toBe('hooks[0].headers.A');
  });
});

describe('agentxchain-plugin.json in the shipped 0.1 form', () => {
  const shipped = (hooks: object, more: object = {}) =>
    pack({
      'agentxchain-plugin.json': { schema_version: '0.1', name: '@acme/plugin-x', version: '0.1.0', hooks, ...more },
      'hook.mjs': '',
    });
  const process = { type: 'process', command: ['node', './hook.mjs'], mode: 'blocking', timeout_ms: 5000 };

  it('is told apart by its hooks being an object; phases become events, blocking ones ask to block', () => {
    const manifest = readManifest(
      shipped({
        after_dispatch: [process],
        before_gate: [process],
        after_acceptance: [{ ...process, mode: 'advisory' }],
      }),
    );
    expect(manifest).toMatchObject({
      form: 'agentxchain-0.1',
      name: '@acme/plugin-x',
      hooks: ['turn:dispatched', 'gate:pending', 'turn:accepted'],
      asks: ['block:gate:pending', 'block:turn:dispatched'],
    });
    expect(manifest.handlers[0]).toEqual({
      type: 'process',
      event: 'turn:dispatched',
      phase: 'after_dispatch',
      command: ['node', './hook.mjs'],
      blocking: true,
      timeoutMs: 5000,
    });
  });

  it('refuses unknown phases, and command words that lead out of the package', () => {
    expect(errorOf(() => readManifest(shipped({ after_lunch: [process] }))).code).toBe('MANIFEST_INVALID');
    const out = errorOf(() =>
      readManifest(shipped({ after_dispatch: [{ ...process, command: ['node', '../../etc/passwd'] }] })),
    );
    expect(out.problems?.[0]?.path).toBe('hooks.after_dispatch[0].command[1]');
  });
});

describe('plugin.json of an Agent Plugins package', () => {
  const $schema = 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json';
  const part = {
    module: './plugin.js',
    hooks: ['turn:accepted', 'memory', http],
    permissions: {
      files: { read: ['src'], write: ['out'] },
      net: ['example.com'],
      exec: ['git'],
      env: ['CI'],
      secrets: ['TOKEN'],
      block: ['gate:pending'],
    },
  };
  const portable = (dev: object, more: object = {}) =>
    pack({
      'plugin.json': {
        $schema,
        name: 'acme.tools',
        version: '1.0.0',
        extensions: { 'dev.patchbay': dev, 'com.other': { x: 1 } },
        ...more,
      },
      'plugin.js': '',
    });

  it('has our part under extensions, with what it asks for in the vocabulary of grants', () => {
    const manifest = readManifest(portable(part));
    expect(manifest).toMatchObject({
      form: 'portable',
      name: 'acme.tools',
      hooks: ['turn:accepted', 'memory'],
      entries: { plugin: './plugin.js' },
    });
    expect(manifest.asks).toEqual([
      'block:gate:pending',
      'env:AGENTXCHAIN_HOOK_TOKEN',
      'env:CI',
      'exec:git',
      'net:example.com',
      'net:my-service.example.com:8443',
      'read:src',
      'secret:TOKEN',
      'write:out',
    ]);
  });

  it('may have no part of ours, and is then a package of skills and servers', () => {
    expect(readManifest(pack({ 'plugin.json': { $schema, name: 'skills-only' } }))).toMatchObject({
      name: 'skills-only',
      version: '0.0.0',
      hooks: [],
      asks: [],
    });
  });

  it('refuses another $schema, unknown hooks with the nearest name, unknown permissions and missing modules', () => {
    expect(errorOf(() => readManifest(pack({ 'plugin.json': { $schema: 'x', name: 'a' } }))).problems?.[0]?.path).toBe(
      '$schema',
    );
    expect(errorOf(() => readManifest(portable({ hooks: ['turn:acepted'] }))).message).toContain(
      'did you mean "turn:accepted"?',
    );
    expect(errorOf(() => readManifest(portable({ permissions: { internet: true } }))).message).toContain('internet');
    expect(errorOf(() => readManifest(portable({ module: './gone.js' }))).message).toContain(
      'there is no file "./gone.js"',
    );
  });
});

describe('package.json with the keys of other worlds', () => {
  it('gives the entry points of pace and pynchy', () => {
    const dir = pack({
      'package.json': {
        name: 'my-plugin',
        version: '1.0.0',
        scripts: { postinstall: 'evil' },
        pace: { hooks: { slack_gate: './dist/hook.js#SlackGateHook' }, webhook_in: { push: './dist/hook.js#Push' } },
        pynchy: './dist/hook.js',
      },
      'dist/hook.js': '',
    });
    const { entries, form, warnings } = readManifest(dir);
    expect(form).toBe('package');
    expect(warnings).toEqual([]);
    expect(entries).toEqual({
      'pace.hooks.slack_gate': './dist/hook.js#SlackGateHook',
      'pace.webhook_in.push': './dist/hook.js#Push',
      pynchy: './dist/hook.js',
    });
  });

  it('is no plugin without them', () => {
    expect(errorOf(() => readManifest(pack({ 'package.json': { name: 'x', version: '1.0.0' } }))).code).toBe(
      'MANIFEST_MISSING',
    );
    expect(errorOf(() => readManifest(pack({ 'README.md': '' }))).code).toBe('MANIFEST_MISSING');
  });

  it('refuses unknown groups and entry points outside', () => {
    const bad = (pace: object) => pack({ 'package.json': { name: 'x', version: '1.0.0', pace } });
    expect(errorOf(() => readManifest(bad({ hoks: {} }))).message).toContain('hoks');
    expect(errorOf(() => readManifest(bad({ hooks: { a: '../x.js#Y' } }))).problems?.[0]?.path).toBe('pace.hooks.a');
  });
});

describe('files that are not quite JSON', () => {
  const text = JSON.stringify(slack);
  it.each([
    ['a byte-order mark', Buffer.from(`\ufeff${text}`), 'byte-order mark'],
    ['UTF-16', Buffer.from(text, 'utf16le'), 'UTF-16'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'not valid UTF-8'],
    ['a name that stands twice', '{\n"name": "a",\n"name": "b"}', ':3: has "name" twice'],
    ['a comment', '{ // x\n}', 'is not JSON'],
    ['half a file', text.slice(0, 40), 'is not JSON'],
    ['nothing at all', '', 'is not JSON'],
    ['something that is no object', '[]', 'expected object'],
    ['fifty megabytes', `"${'x'.repeat(2 * 1024 * 1024)}"`, 'more than 1048576 are not read'],
  ])('are refused with the file and the reason: %s', (_, content, reason) => {
    const error = errorOf(() => readManifest(pack({ 'agentxchain-plugin.json': content })));
    expect(error.code).toBe('MANIFEST_INVALID');
    expect(error.message).toContain('agentxchain-plugin.json');
    expect(error.message).toContain(reason);
  });
});

describe('mutated manifests', () => {
  const hostile = fc.oneof(
    fc.json().map((json) => JSON.parse(json)),
    fc.constantFrom('..', '__proto__', 'a'.repeat(500), '${X}', -1, 1e99),
  );
  const places = [
    'name',
    'version',
    'description',
    'license',
    'hooks',
    'config_schema',
    'event',
    'type',
    'run',
    'url',
    'timeout_ms',
    'headers',
  ];

  it('are read or refused, never anything else, and what is read keeps every rule', () => {
    const dir = document({});
    let read = 0;
    fc.assert(
      fc.property(fc.constantFrom(...places), hostile, fc.boolean(), fc.boolean(), (place, value, drop, useHttp) => {
        const handler: Record<string, unknown> = useHttp ? { ...http } : { ...slack.hooks[0] };
        const manifest: Record<string, unknown> = { ...slack, hooks: [handler] };
        const target = place in manifest ? manifest : handler;
        if (drop) delete target[place];
        else target[place] = value;
        writeFileSync(join(dir, 'agentxchain-plugin.json'), JSON.stringify(manifest));
        try {
          const { name, handlers } = readManifest(dir);
          read++;
          expect(name).toMatch(/^[a-z0-9-]{1,64}$/);
          for (const { timeoutMs, ...one } of handlers) {
            expect(timeoutMs).toBeGreaterThan(0);
            if (one.type === 'script') expect(one.run.split('/')).not.toContain('..');
          }
        } catch (error) {
          if (!(error instanceof PatchbayError)) throw error;
          expect(error.code).toBe('MANIFEST_INVALID');
        }
      }),
      { numRuns: 5000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});
