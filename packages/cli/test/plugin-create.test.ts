import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folder, root } from '../../../test/project.ts';
import { cleanEnv, expectError, patchbay } from './command.ts';

let cwd: string;
beforeEach(() => {
  cwd = folder({ 'patchbay.yaml': '' });
});
const create = (...args: string[]) => patchbay(['plugin', 'create', ...args], { cwd });

const kinds = {
  native: ['.gitignore', 'README.md', 'package.json', 'plugin.json', 'plugin.test.ts', 'plugin.ts'],
  script: ['README.md', 'agentxchain-plugin.json', 'hooks/on-accept.sh', 'package.json', 'test/on-accept.test.mjs'],
};

describe.each(Object.entries(kinds))('a new plugin of kind %s', (kind, files) => {
  it('has a manifest, a handler and a test, and the command says what it made', () => {
    const { stdout, stderr, status } = create('my-plugin', '--kind', kind, '--json');
    expect([stderr, status]).toEqual(['', 0]);
    const dir = join(cwd, 'my-plugin');
    expect(JSON.parse(stdout)).toEqual({ name: 'my-plugin', kind, dir, files });
    for (const file of files) expect(statSync(join(dir, file)).mode & 0o777).toBe(file.endsWith('.sh') ? 0o755 : 0o644);
    expect(readdirSync(cwd).sort()).toEqual(['my-plugin', 'patchbay.yaml']);
  });

  it('passes its own test', () => {
    create('my-plugin', '--kind', kind);
    const dir = join(cwd, 'my-plugin');
    // As its README says: the SDK is not in the registry yet.
    mkdirSync(join(dir, 'node_modules'));
    symlinkSync(join(root, 'packages/sdk'), join(dir, 'node_modules/patchbay-sdk'));
    const tested = spawnSync(process.execPath, ['--test'], { cwd: dir, env: cleanEnv(), encoding: 'utf8' });
    expect(tested).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 2\n.* fail 0\n/) });
  });

  it('can be installed as it is, without asking for anything, and is whole then', () => {
    create('my-plugin', '--kind', kind);
    const installed = patchbay(['plugin', 'install', './my-plugin', '--json'], { cwd });
    expect(installed).toMatchObject({ stderr: '', status: 0 });
    expect(JSON.parse(installed.stdout)).toMatchObject({
      name: 'my-plugin',
      version: '0.1.0',
      hooks: ['turn:accepted'],
      grants: [],
      warnings: [],
    });
    expect(patchbay(['plugin', 'verify', 'my-plugin'], { cwd }).status).toBe(0);
  });
});

describe('creating a plugin', () => {
  it('makes a native one unless told otherwise, also where there is no project', () => {
    cwd = folder();
    expect(create('my-plugin')).toMatchObject({ status: 0, stdout: expect.stringContaining('Made native plugin') });
    expect(existsSync(join(cwd, 'my-plugin/plugin.ts'))).toBe(true);
  });

  it('takes an empty folder of that name', () => {
    mkdirSync(join(cwd, 'my-plugin'));
    expect(create('my-plugin').status).toBe(0);
    expect(existsSync(join(cwd, 'my-plugin/plugin.json'))).toBe(true);
  });

  it('refuses a folder that has something in it, and a file', () => {
    mkdirSync(join(cwd, 'my-plugin'));
    writeFileSync(join(cwd, 'my-plugin/mine.txt'), 'keep');
    writeFileSync(join(cwd, 'a-file'), 'keep');
    for (const name of ['my-plugin', 'a-file']) {
      expectError(create(name), 2, 'USAGE', /exists already and is no empty folder; Give another name/);
    }
    expect(readdirSync(cwd).sort()).toEqual(['a-file', 'my-plugin', 'patchbay.yaml']);
    expect(readdirSync(join(cwd, 'my-plugin'))).toEqual(['mine.txt']);
  });

  it.each([
    '..',
    '.',
    '../x',
    'a/b',
    '/tmp/x',
    'My-Plugin',
    'a_b',
    '-a',
    'a-',
    'a--b',
    '__proto__',
    'x'.repeat(65),
    '',
  ])('refuses the name %j', (name) => {
    expectError(create('--', name), 2, 'USAGE', /is no name for a plugin; Use lower-case letters/);
    expect(readdirSync(cwd)).toEqual(['patchbay.yaml']);
  });

  it('refuses another kind, and says which there are', () => {
    expectError(create('my-plugin', '--kind', 'python'), 2, 'USAGE', /--kind python: there are native and script/);
    expect(readdirSync(cwd)).toEqual(['patchbay.yaml']);
  });
});
