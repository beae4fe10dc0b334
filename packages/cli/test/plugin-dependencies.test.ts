import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { registryOf, type Shelf } from '../../host/test/install/dependencies/registry.ts';
import { tree } from '../../host/test/install/fetch/scratch.ts';
import { bin, cleanEnv, type Ended, expectError } from './command.ts';

const manifest = { name: 'needy', version: '1.0.0', description: 'x', hooks: [] };
const project = () =>
  folder({
    'patchbay.yaml': '# ours\n',
    'p/agentxchain-plugin.json': JSON.stringify(manifest),
    'p/package.json': JSON.stringify({ name: 'needy', version: '1.0.0', dependencies: { left: '^1.0.0' } }),
  });

function start(cwd: string, registry: string, ...args: string[]) {
  return spawn(process.execPath, [bin, 'plugin', ...args], { cwd, env: cleanEnv({ npm_config_registry: registry }) });
}

/** The built command with a registry that this process is. */
async function plugin(cwd: string, registry: string, ...args: string[]): Promise<Ended> {
  const child = start(cwd, registry, ...args);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, status };
}

it('the command installs the npm dependencies of a plugin, verifies them, and restores exactly the same', async () => {
  const shelf: Shelf = { left: { '1.0.0': {}, '1.1.0': {} } };
  const url = await registryOf(shelf);
  const cwd = project();
  expect(await plugin(cwd, url, 'install', './p')).toMatchObject({ stderr: '', status: 0 });
  const place = join(cwd, '.patchbay/plugins/needy');
  expect(readFileSync(join(place, 'node_modules/left/index.js'), 'utf8')).toContain('left 1.1.0');
  expect(await plugin(cwd, url, 'verify')).toMatchObject({ status: 0 });
  const before = tree(cwd);
  rmSync(place, { recursive: true });
  shelf['left'] = { ...shelf['left'], '1.2.0': {} };
  expect(await plugin(cwd, url, 'install', '--frozen')).toMatchObject({ stderr: '', status: 0 });
  expect(tree(cwd)).toEqual(before);
});

it('the command names plugin and dependency when one cannot be had, and changes nothing', async () => {
  const url = await registryOf({});
  const cwd = project();
  const before = tree(cwd);
  expectError(
    await plugin(cwd, url, 'install', './p'),
    2,
    'SOURCE_INVALID',
    /plugin "needy" depends on left: there is no such package in the registry; Have its author/,
  );
  expect(tree(cwd)).toEqual(before);
});

it.each([/^\/left$/, /\.tgz$/])(
  'a command that is killed when the registry is asked for %s leaves the project as it was, once the next one has run',
  async (asked) => {
    const cwd = project();
    const before = tree(cwd);
    const killing = { kill: (_path: string): unknown => undefined };
    const url = await registryOf({ left: { '1.0.0': {} } }, (path) => killing.kill(path));
    const child = start(cwd, url, 'install', './p');
    killing.kill = (path) => asked.test(path) && child.kill('SIGKILL');
    const signal = await new Promise((resolve) => child.on('exit', (_code, by) => resolve(by)));
    expect(signal).toBe('SIGKILL');
    expect(tree(cwd)).not.toEqual(before);
    expect(await plugin(cwd, url, 'list', '--json')).toMatchObject({ stdout: '[]\n', status: 0 });
    expect(tree(cwd)).toEqual(before);
  },
);
