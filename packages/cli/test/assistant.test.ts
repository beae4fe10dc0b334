import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, project, root } from '../../../test/project.ts';
import { cleanEnv, type Ended, expectError, expectJsonError, patchbay } from './command.ts';

// From source: the build may be older.
const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
const script = join(root, 'packages/cli/src/main.ts');
const call = (cwd: string, ...args: string[]) => patchbay(args, { cwd, flags, script });
const empty = () => folder({ 'patchbay.yaml': '' });

function text({ stdout, stderr, status }: Ended): string {
  expect([stderr, status]).toEqual(['', 0]);
  return stdout;
}

function json(cwd: string, ...args: string[]): unknown {
  return JSON.parse(text(call(cwd, ...args, '--json')));
}

/** A memory with what must be there, and no more. */
const bare = `export default { name: 'bare', version: '1.0.0', provides: { memory: () => ({
  name: 'bare', save: async (...args) => ({ args }), recall: async (...args) => [{ key: 'k', content: 'c', args }],
  forget: async () => ({}), listKeys: async (...args) => [{ key: 'one', args }, { key: 'two' }],
  init: async () => {}, close: async () => {},
}) } };`;

describe('memory', () => {
  it('save, recall, list, history and forget work on what a workspace has', () => {
    const cwd = empty();
    expect(text(call(cwd, 'memory', 'save', 'door', 'The code is 1234'))).toBe('Saved "door" (core).\n');
    const more = ['--category', 'daily', '--metadata', '{"by":"ada"}'];
    expect(text(call(cwd, 'memory', 'save', 'door', 'The code\nis 9876', ...more))).toBe('Corrected "door" (daily).\n');
    expect(text(call(cwd, 'memory', 'recall', '"code" OR'))).toBe('door (daily)\n  The code\n  is 9876\n');
    expect(json(cwd, 'memory', 'recall', 'code')).toMatchObject([{ key: 'door', metadata: { by: 'ada' } }]);
    expect(json(cwd, 'memory', 'recall', 'code', '--category', 'core')).toEqual([]);
    expect(json(cwd, 'memory', 'recall', 'code', '--workspace', 'other')).toEqual([]);
    expect(text(call(cwd, 'memory', 'list'))).toMatch(/^door {2}daily {2}20\d\d-\S+Z\n$/);
    expect(text(call(cwd, 'memory', 'history', 'door'))).toMatch(/^until \S+Z \(core\)\n {2}The code is 1234\n$/);
    expect(text(call(cwd, 'memory', 'forget', 'door'))).toBe('Forgot "door".\n');
    expect(text(call(cwd, 'memory', 'forget', 'door'))).toBe('There was no "door".\n');
    expect(text(call(cwd, 'memory', 'list'))).toBe('Nothing is kept.\n');
  });

  it('what export prints, import takes, into any workspace', () => {
    const cwd = empty();
    call(cwd, 'memory', 'save', 'tea', 'green', '--metadata', '{"n":1}');
    writeFileSync(join(cwd, 'kept.json'), text(call(cwd, 'memory', 'export')));
    expect(text(call(cwd, 'memory', 'import', 'kept.json', '--workspace', 'w'))).toBe('Imported 1 entry.\n');
    expect(json(cwd, 'memory', 'export', '--workspace', 'w')).toMatchObject([
      { key: 'tea', content: 'green', category: 'core', metadata: { n: 1 } },
    ]);
  });

  it('nothing that a terminal would obey is shown', () => {
    const cwd = empty();
    call(cwd, 'memory', 'save', 'red', '\u001b[31mred\u0007');
    expect(text(call(cwd, 'memory', 'recall', 'red'))).toBe('red (core)\n  red\n');
  });

  it.each<[string[], RegExp]>([
    [['save', '', 'x'], /the key must be a text that is not empty/],
    [['save', 'k', ''], /the content must be/],
    [['save', 'k', 'x', '--category', 'weekly'], /--category weekly: must be core, daily, conversation/],
    [['save', 'k', 'x', '--metadata', '{'], /--metadata {: is no JSON/],
    [['save', 'k', 'x', '--metadata', '[1]'], /the metadata must be a JSON object/],
    [['recall', 'x', '--limit', '0'], /--limit 0: must be a whole number/],
    [['list', '--limit', '1001'], /--limit 1001: must be 1000 at most/],
    [['list', '--workspace', ''], /--workspace: must have a name/],
    [['forget', ''], /the key must be/],
    [['import', 'none.json'], /none\.json/],
    [['import', 'patchbay.yaml'], /patchbay\.yaml/],
    [['import', 'bad.json'], /bad\.json: entry 1: the content must be.*, and 1 more/],
  ])('%j is refused with exit code 2', (args, message) => {
    const bad = JSON.stringify([{ key: 'good', content: 'x' }, { key: 'k' }, null]);
    const cwd = folder({ 'patchbay.yaml': '', 'bad.json': bad });
    expectError(call(cwd, 'memory', ...args), 2, 'USAGE', message);
  });

  it('a key that is too long is refused, and an import with something wrong keeps nothing', () => {
    const cwd = folder({
      'patchbay.yaml': '',
      'bad.json': JSON.stringify([{ key: 'good', content: 'x' }, { key: 'k' }]),
    });
    expectError(call(cwd, 'memory', 'save', 'k'.repeat(600), 'x'), 2, 'USAGE', /the key is longer than 512 characters/);
    expectError(call(cwd, 'memory', 'import', 'bad.json'), 2, 'USAGE', /entry 1: the content must be/);
    expect(json(cwd, 'memory', 'list')).toEqual([]);
  });

  it('is that of the plugin that won, which need not have all members', () => {
    const cwd = project({ bare });
    expect(json(cwd, 'memory', 'save', 'k', 'c')).toEqual({ args: ['default', 'k', 'c', 'core', null] });
    expect(json(cwd, 'memory', 'recall', 'q', '--limit', '3')).toMatchObject([{ args: ['default', 'q', null, 3] }]);
    expect(json(cwd, 'memory', 'list', '--limit', '1')).toEqual([
      { key: 'one', args: ['default', null, { limit: 1 }] },
    ]);
    writeFileSync(join(cwd, 'kept.json'), '[]');
    for (const args of [['history', 'k'], ['export'], ['import', 'kept.json']]) {
      const message = new RegExp(`plugin "bare" cannot do this: it has no "${args[0]}"`);
      expectJsonError(call(cwd, 'memory', ...args, '--json'), 2, 'USAGE', message);
    }
  });

  it('says when the memory of a plugin was passed over', () => {
    const cwd = project({ bad: `export default { name: 'bad', version: '1.0.0', provides: { memory: () => 7 } };` });
    const { stdout, stderr, status } = call(cwd, 'memory', 'save', 'k', 'x');
    expect([stdout, status]).toEqual(['Saved "k" (core).\n', 0]);
    expect(stderr).toMatch(/^warning: plugin "bad" in hook "memory" .*; the memory of "memory-sqlite" is used\n$/);
  });

  it('needs a project', () => {
    expectError(call(folder(), 'memory', 'list'), 2, 'PROJECT_MISSING', /no project/);
  });
});

describe('skills list', () => {
  it('shows each skill with tier and plugin, whether it is selected, and what is wrong', () => {
    const lost = `export default { name: 'lost', version: '1.0.0', provides: { skills: () => ['/nowhere'] } };`;
    const cwd = folder({
      'patchbay.yaml':
        'plugins: { hello: { path: hello/plugin.ts }, lost: { path: lost.mjs } }\nworkspaces: { chosen: { skills: [greeting] } }\n',
      'lost.mjs': lost,
    });
    cpSync(join(root, 'examples/hello'), join(cwd, 'hello'), { recursive: true });
    const [skill = '', problem = ''] = text(call(cwd, 'skills', 'list')).split('\n');
    expect(skill).toMatch(/^greeting {2}community {2}hello {2}- {2}Greet people/);
    expect(problem).toMatch(/^problem with lost: SKILL\.md cannot be read: .* \(\/nowhere\)$/);
    expect(json(cwd, 'skills', 'list', '--workspace', 'w')).toMatchObject({
      workspace: 'w',
      skills: [{ name: 'greeting', plugin: 'hello', selected: false }],
      problems: [{ plugin: 'lost', dir: '/nowhere' }],
    });
    expect(json(cwd, 'skills', 'list', '--workspace', 'chosen')).toMatchObject({ skills: [{ selected: true }] });
  });
});

/** The environment of a machine on which Tailscale is installed, and this is how it stands. */
function withTailscale(BackendState: string): Readonly<Record<string, string>> {
  const bin = folder({ tailscale: `#!/bin/sh\necho '{"BackendState":"${BackendState}"}'\n` });
  chmodSync(join(bin, 'tailscale'), 0o755);
  return { PATH: `${bin}:${process.env['PATH']}` };
}

describe('tunnel status', () => {
  it('shows those that could be used and those that could not', () => {
    const where = { cwd: empty(), flags, script, env: withTailscale('Running') };
    const { stdout, stderr, status } = patchbay(['tunnel', 'status'], where);
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toMatch(/^tailscale {3}available {6}connected {6}Tailscale is connected as this machine$/m);
    const shown = patchbay(['tunnel', 'status', '--json'], where).stdout;
    expect(JSON.parse(shown)).toContainEqual({
      name: 'tailscale',
      plugin: 'tunnel-tailscale',
      available: true,
      connected: true,
      summary: 'Tailscale is connected as this machine',
      problem: null,
    });
  });

  it('is warned of in one line by a host that serves while none is connected', async () => {
    const args = [...flags, script, 'serve', '--port', '0', '--webhook-port', '0'];
    const child = spawn(process.execPath, args, {
      cwd: empty(),
      env: cleanEnv(withTailscale('Stopped')),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
    expect(line).toMatch(/^warning: no tunnel is connected.*\(tailscale: Tailscale is not connected: Stopped\)$/);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
