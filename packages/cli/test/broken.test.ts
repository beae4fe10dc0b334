import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, pluginText, project, root } from '../../../test/project.ts';
import { expectError, expectJsonError, patchbay } from './command.ts';

const explain = ['hooks', 'explain', 'turn:accepted'];

describe('a broken project', () => {
  it.each<[string, string, number, RegExp]>([
    ['is no YAML', 'plugins:\n  a: b: c\n', 2, /nested mappings/i],
    ['has an unknown field', 'plugins: {}\nplugin: 1\n', 2, /"plugin": unknown field, did you mean "plugins"\?/],
    ['leaves the project', 'plugins:\n  a:\n    path: ../a.mjs\n', 3, /must stay inside the project/],
    ['has a star where YAML does not want one', 'plugins:\n  a:\n    path: *.mjs\n', 3, /alias/],
  ])('whose file %s ends with file and line, and exit code 2', (_, content, line, message) => {
    const cwd = folder({ 'patchbay.yaml': content });
    expectError(patchbay(explain, { cwd }), 2, 'PROJECT_INVALID', message);
    expect(patchbay(explain, { cwd }).stderr).toContain(`${join(cwd, 'patchbay.yaml')}:${line}: `);
    const error = expectJsonError(patchbay([...explain, '--json'], { cwd }), 2, 'PROJECT_INVALID', message);
    expect(error).toMatchObject({ file: join(cwd, 'patchbay.yaml') });
  });
});

describe('a broken plugin', () => {
  it.each<[string, string, number, string, RegExp]>([
    [
      'throws when loaded',
      `throw new Error('out of paper');`,
      1,
      'PLUGIN_LOAD',
      /plugin "bad" cannot be loaded from .*bad\.mjs: out of paper/,
    ],
    ['exports nothing', 'export {};', 1, 'PLUGIN_LOAD', /has no default export/],
    ['exports null', 'export default null;', 1, 'PLUGIN_LOAD', /must export a plugin named "bad"/],
    ['never ends to load', 'await new Promise(() => {});', 1, 'PLUGIN_LOAD', /plugin "bad"/],
    [
      'implements what does not exist',
      pluginText('bad', `'turn:acepted': () => {}`),
      2,
      'HOOK_UNKNOWN',
      /plugin "bad" .* did you mean "turn:accepted"\?/,
    ],
    [
      'reads what does not exist',
      pluginText('bad', `'turn:accepted': (p) => p.sumary`),
      2,
      'HOOK_ARGUMENT_UNKNOWN',
      /plugin "bad", hook "turn:accepted": reads "sumary"/,
    ],
    [
      'has an unknown field',
      pluginText('bad', '', 'hoks: {}'),
      2,
      'PLUGIN_INVALID',
      /plugin "bad": unknown field "hoks", did you mean "hooks"\?/,
    ],
    [
      'throws when looked at',
      pluginText('bad', `get 'turn:accepted'() { throw new Error('boo'); }`),
      2,
      'PLUGIN_INVALID',
      /plugin "bad"/,
    ],
  ])('that %s ends with its name and an exit code', (_, text, exit, code, message) => {
    const cwd = project({ bad: text });
    expectError(patchbay(explain, { cwd }), exit, code, message);
    const error = expectJsonError(patchbay([...explain, '--json'], { cwd }), exit, code, message);
    expect(error).toMatchObject({ plugin: 'bad' });
  });

  it('whose configuration makes its schema throw ends with its name and an exit code', () => {
    const cwd = folder({
      'patchbay.yaml': 'plugins:\n  bad: { path: bad.mjs, config: { filter: "{" } }\n',
      'bad.mjs': `import { z } from 'patchbay-sdk/zod';
        const config = z.object({ filter: z.string().transform((text) => JSON.parse(text)) });
        export default { name: 'bad', version: '1.0.0', config };`,
    });
    expectError(patchbay(explain, { cwd }), 2, 'CONFIG_INVALID', /plugin "bad".*JSON/);
  });

  it('that keeps a timer running does not keep the command from ending', () => {
    const cwd = project({ busy: `setInterval(() => {}, 1000);\n${pluginText('busy')}` });
    expect(patchbay(explain, { cwd }).status).toBe(0);
  });

  it('that prints something does not spoil the JSON', () => {
    const cwd = project({ loud: `console.log('hello');\n${pluginText('loud')}` });
    expect(JSON.parse(patchbay([...explain, '--json'], { cwd }).stdout)).toEqual({ event: 'turn:accepted', order: [] });
  });
});

describe('a Node.js that is too old', () => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });\n`;
  const installed = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const old = /^v(\d+)/.exec(installed);
  /** A real one, where this machine has one. */
  const real = old !== null && Number(old[1]) < 24 ? [['/usr/bin/node', installed.trim().slice(1)] as const] : [];

  it.each([['', '20.1.0'] as const, ...real])('is told so in one line (%s %s)', (node, version) => {
    const dir = folder({ 'pretend.cjs': pretend });
    const where = node === '' ? { flags: ['--require', join(dir, 'pretend.cjs')] } : { node };
    const message = new RegExp(`Patchbay needs Node.js 24 or newer, this is ${version.replaceAll('.', '\\.')}`);
    for (const args of [[], ['--version'], ['hooks', 'list']]) {
      expectError(patchbay(args, where), 1, 'NODE_TOO_OLD', message);
      expectJsonError(patchbay([...args, '--json'], where), 1, 'NODE_TOO_OLD', message);
    }
  });
});

describe('a checkout that is not built', () => {
  it('says so, but knows its version', () => {
    const dir = folder();
    cpSync(join(root, 'packages/cli/bin'), join(dir, 'bin'), { recursive: true });
    cpSync(join(root, 'packages/cli/package.json'), join(dir, 'package.json'));
    const where = { script: join(dir, 'bin/patchbay.cjs') };
    expectError(patchbay(['hooks', 'list'], where), 1, 'NOT_BUILT', /not built yet; run "npm run build"/);
    expectJsonError(patchbay(['hooks', 'list', '--json'], where), 1, 'NOT_BUILT', /not built yet/);
    expect(patchbay(['--version'], where)).toEqual(patchbay(['--version']));
  });
});
