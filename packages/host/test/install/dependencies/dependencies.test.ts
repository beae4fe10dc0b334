import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PatchbayError } from 'patchbay-sdk';
import { create } from 'tar';
import { describe, expect, it } from 'vitest';
import { installPlugin, restorePlugins } from '../../../src/install/index.ts';
import { verifyPlugins } from '../../../src/install/manage.ts';
import { registry } from '../fetch/npm-registry.ts';
import { failureOf, put, scratch, tree } from '../fetch/scratch.ts';
import { tgzOf } from '../fetch/tar-file.ts';
import { integrityFor, registryOf, type Shelf } from './registry.ts';

const manifest = JSON.stringify({ name: 'needy', version: '1.0.0', description: 'x', hooks: [] });

/** A project with a plugin in `p` that has this package.json. */
function project(packageJson: object, more: Readonly<Record<string, string>> = {}): string {
  const files = {
    'patchbay.yaml': '',
    'p/agentxchain-plugin.json': manifest,
    'p/package.json': JSON.stringify({ name: 'needy', version: '1.0.0', ...packageJson }),
    ...more,
  };
  return scratch(Object.entries(files).map(([path, content]) => ({ path, content })));
}

const placeOf = (cwd: string) => join(cwd, '.patchbay/plugins/needy');
const lockOf = (cwd: string) => JSON.parse(readFileSync(join(cwd, 'patchbay.lock'), 'utf8')).plugins.needy;
const install = (cwd: string, registry?: string) => installPlugin('./p', { cwd, registry, timeoutMs: 20_000 });
/** What the plugin gets by `require`. */
const required = (cwd: string, name: string, from = 'index.js') =>
  createRequire(join(placeOf(cwd), from))(name) as string;

/** The error of an install, after which everything is as before. */
async function refusal(cwd: string, registry?: string): Promise<PatchbayError> {
  const before = tree(cwd);
  const error = await failureOf(() => install(cwd, registry));
  expect(tree(cwd)).toEqual(before);
  expect(error.message).toContain('plugin "needy" depends on ');
  expect(error.plugin).toBe('needy');
  return error;
}

const shelf = (): Shelf => ({
  left: { '1.0.0': {}, '1.2.0': {}, '2.0.0': {} },
  deep: { '1.0.0': { fields: { dependencies: { left: '^1.0.0', '@s/scoped': '*' } } } },
  '@s/scoped': { '3.0.0': {} },
});

describe('the npm dependencies of a plugin', () => {
  it('are installed by range into its own folder, with theirs, and count into its integrity', async () => {
    const url = await registryOf(shelf());
    const cwd = project({ dependencies: { deep: '1.x', left: '^2.0.0' } });
    const { integrity } = await install(cwd, url);
    expect(required(cwd, 'left')).toBe('left 2.0.0');
    expect(required(cwd, 'left', 'node_modules/deep/index.js')).toBe('left 1.2.0');
    expect(required(cwd, '@s/scoped', 'node_modules/deep/index.js')).toBe('@s/scoped 3.0.0');
    expect(lockOf(cwd).dependencies).toEqual({
      'node_modules/@s/scoped': { resolved: 'npm:@s/scoped@3.0.0', integrity: integrityFor('@s/scoped', '3.0.0') },
      'node_modules/deep': { resolved: 'npm:deep@1.0.0', integrity: expect.stringMatching(/^sha512-/) },
      'node_modules/deep/node_modules/left': {
        resolved: 'npm:left@1.2.0',
        integrity: integrityFor('left', '1.2.0'),
      },
      'node_modules/left': { resolved: 'npm:left@2.0.0', integrity: integrityFor('left', '2.0.0') },
    });
    expect(await verifyPlugins(cwd)).toEqual([{ name: 'needy', ok: true, detail: integrity }]);
    writeFileSync(join(placeOf(cwd), 'node_modules/left/index.js'), 'changed');
    expect(await verifyPlugins(cwd)).toMatchObject([{ ok: false }]);
    expect(readdirSync(cwd).sort()).toEqual(['.patchbay', 'p', 'patchbay.lock', 'patchbay.yaml']);
  });

  it.each(['package-lock.json', 'npm-shrinkwrap.json'])('are those that its %s names', async (file) => {
    const url = await registryOf(shelf());
    const dependencies = { left: '^1.0.0' };
    const packages = {
      '': { dependencies, devDependencies: { tool: '1.0.0' } },
      'node_modules/left': {
        version: '1.0.0',
        resolved: 'https://npm.example.com/left/-/left-1.0.0.tgz',
        integrity: integrityFor('left', '1.0.0'),
      },
      'node_modules/tool': { version: '1.0.0', dev: true },
    };
    const lock = JSON.stringify({ lockfileVersion: 3, packages });
    const cwd = project({ dependencies, devDependencies: { tool: '1.0.0' } }, { [`p/${file}`]: lock });
    await install(cwd, url);
    expect(required(cwd, 'left')).toBe('left 1.0.0');
    expect(readdirSync(join(placeOf(cwd), 'node_modules'))).toEqual(['left']);
  });

  it('never run a script and are never linked, and nothing beside package.json is run to find them', async () => {
    const marker = join(scratch(), 'ran');
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare'].map((s) => [s, `touch ${marker}`]),
    );
    const fields = { scripts, bin: { tool: 'index.js' }, hasInstallScript: true };
    const url = await registryOf({ left: { '1.0.0': { fields } } });
    const extension = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '');`;
    const cwd = project({ dependencies: { left: '1' }, scripts }, { 'p/.npm-extension.cjs': extension });
    await install(cwd, url);
    expect(existsSync(marker)).toBe(false);
    expect(readdirSync(join(placeOf(cwd), 'node_modules'))).toEqual(['left']);
  });

  it('leave out patchbay-sdk, which the host lends, whoever depends on it, and peers of the plugin', async () => {
    const url = await registryOf({
      'patchbay-sdk': { '7.0.0': {}, '8.0.0': {} },
      host: { '1.0.0': {} },
      left: { '1.0.0': { fields: { dependencies: { 'patchbay-sdk': '^7' } } } },
      right: { '1.0.0': { fields: { peerDependencies: { 'patchbay-sdk': '^8' } } } },
    });
    const cwd = project({
      dependencies: { left: '1', right: '1', 'patchbay-sdk': '^0.1.0' },
      peerDependencies: { host: '*' },
    });
    await install(cwd, url);
    expect(readdirSync(join(placeOf(cwd), 'node_modules')).sort()).toEqual(['left', 'right']);
  });

  it('are nothing to ask anybody for where there are none but that', async () => {
    const cwd = project({ dependencies: { 'patchbay-sdk': '*' }, devDependencies: { tool: '1' } });
    await install(cwd, 'http://127.0.0.1:1/');
    expect(lockOf(cwd)).not.toHaveProperty('dependencies');
    expect(existsSync(join(placeOf(cwd), 'node_modules'))).toBe(false);
  });

  it('may be optional, and are left out then if they cannot be had or do not run here', async () => {
    const url = await registryOf({
      left: { '1.0.0': {} },
      alien: { '1.0.0': { fields: { os: ['plan9'] } } },
    });
    const cwd = project({ dependencies: { left: '1' }, optionalDependencies: { gone: '1', alien: '1' } });
    await install(cwd, url);
    expect(readdirSync(join(placeOf(cwd), 'node_modules'))).toEqual(['left']);
  });

  it('may be an alias', async () => {
    const url = await registryOf(shelf());
    const cwd = project({ dependencies: { right: 'npm:left@1' } });
    await install(cwd, url);
    expect(required(cwd, 'right')).toBe('left 1.2.0');
    expect(lockOf(cwd).dependencies).toMatchObject({ 'node_modules/right': { resolved: 'npm:left@1.2.0' } });
  });

  it('may bring packages of their own in their tarball', async () => {
    const bundled = { path: 'package/node_modules/inner/index.js', content: 'module.exports = "inner";' };
    const fields = { dependencies: { inner: '1' }, bundleDependencies: ['inner'] };
    const url = await registryOf({ left: { '1.0.0': { fields, files: [bundled] } } });
    const cwd = project({ dependencies: { left: '1' } });
    await install(cwd, url);
    expect(required(cwd, 'inner', 'node_modules/left/index.js')).toBe('inner');
  });
});

describe('a plugin that ships its own node_modules', () => {
  const shipping = async (packages: readonly string[]) => {
    const cwd = project({ dependencies: { left: '1', right: '1' } });
    put(
      join(cwd, 'p/node_modules'),
      packages.map((name) => ({ path: `${name}/package.json`, content: '{}' })),
    );
    await create({ cwd, gzip: true, file: join(cwd, 'p.tgz') }, ['p']);
    return cwd;
  };

  it('is taken as it is from an archive, and the registry is not asked', async () => {
    const cwd = await shipping(['left', 'right']);
    await installPlugin('./p.tgz', { cwd, registry: 'http://127.0.0.1:1/' });
    expect(existsSync(join(placeOf(cwd), 'node_modules/left/package.json'))).toBe(true);
  });

  it('is refused if a part of it is missing, or the SDK is there', async () => {
    const missing = await shipping(['left']);
    expect(await failureOf(() => installPlugin('./p.tgz', { cwd: missing }))).toMatchObject({
      code: 'SOURCE_INVALID',
      message: expect.stringContaining('plugin "needy" ships a node_modules without right'),
    });
    const sdk = await shipping(['left', 'right', 'patchbay-sdk']);
    expect(await failureOf(() => installPlugin('./p.tgz', { cwd: sdk }))).toMatchObject({
      code: 'SOURCE_INVALID',
      message: expect.stringContaining('ships patchbay-sdk'),
    });
  });
});

describe('a dependency is refused, and the project stays as it was, if', () => {
  const evil = (path: string) =>
    tgzOf([
      { path: 'package/package.json', content: '{}' },
      { path, content: 'x' },
    ]);

  it.each<[string, Shelf, string, RegExp]>([
    ['the registry does not have it', {}, 'SOURCE_INVALID', /deep: there is no such package/],
    ['no version fits', { deep: { '2.0.0': {} } }, 'SOURCE_INVALID', /deep: no version matches; there are 2\.0\.0/],
    ['the registry fails', { deep: { '1.0.0': { status: 500 } } }, 'SOURCE_UNAVAILABLE', /deep: the registry failed/],
    [
      'one of its own is missing',
      { deep: { '1.0.0': { fields: { dependencies: { gone: '1' } } } } },
      'SOURCE_INVALID',
      /gone: there is no such package/,
    ],
    [
      'its tarball is not the one that was announced',
      { deep: { '1.0.0': { sent: evil('package/x') } } },
      'PACKAGE_UNSAFE',
      /npm:deep@1\.0\.0: .*integrity differs/,
    ],
    [
      'its tarball leads out of its folder',
      { deep: { '1.0.0': { files: [{ path: 'package/../../../x', content: 'x' }] } } },
      'PACKAGE_UNSAFE',
      /npm:deep@1\.0\.0: entry "package\/\.\.\/\.\.\/\.\.\/x" is refused/,
    ],
    [
      'there is a link in it',
      { deep: { '1.0.0': { files: [{ path: 'package/l', type: 'SymbolicLink', linkpath: '/etc' }] } } },
      'PACKAGE_UNSAFE',
      /npm:deep@1\.0\.0: entry "package\/l" is refused: it is a link/,
    ],
    [
      'it does not run on this system',
      { deep: { '1.0.0': { fields: { os: ['plan9'] } } } },
      'SOURCE_INVALID',
      /does not run on this system/,
    ],
    ...['git+https://127.0.0.1:1/x.git', 'http://127.0.0.1:1/x.tgz', 'file:../x', 'file:/etc'].map(
      (spec): [string, Shelf, string, RegExp] => [
        `one of its own is ${spec}`,
        { deep: { '1.0.0': { fields: { dependencies: { out: spec } } } } },
        'PACKAGE_UNSAFE',
        /out: it is no package of the registry/,
      ],
    ),
  ])('%s', async (_, packages, code, message) => {
    const url = await registryOf(packages);
    const error = await refusal(project({ dependencies: { deep: '^1.0.0' } }), url);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each(['git+ssh://git@127.0.0.1:1/x.git', 'github:a/b', 'http://127.0.0.1:1/x.tgz', 'file:../x', 'file:./vendor'])(
    'the plugin asks for %s',
    async (spec) => {
      const error = await refusal(project({ dependencies: { out: spec } }), 'http://127.0.0.1:1/');
      expect(error).toMatchObject({
        code: 'PACKAGE_UNSAFE',
        message: expect.stringContaining('out: it is no package'),
      });
    },
  );

  it('the registry cannot be reached', async () => {
    const error = await refusal(project({ dependencies: { deep: '1' } }), 'http://127.0.0.1:1/');
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', message: expect.stringContaining('deep: ') });
  });

  it('the registry does not answer in time', async () => {
    const cwd = project({ dependencies: { deep: '1', left: '1' } });
    const before = tree(cwd);
    const silent = await registry('deep', {}, 'silent');
    const error = await failureOf(() => installPlugin('./p', { cwd, registry: silent, timeoutMs: 300 }));
    expect(error).toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: 'plugin "needy" depends on deep, left: the registry did not answer within 0.3 s',
    });
    expect(tree(cwd)).toEqual(before);
  });

  it('all together are too much', async () => {
    const files = [{ path: 'package/big', content: Buffer.alloc(600) }];
    const url = await registryOf({ left: { '1.0.0': { files } }, right: { '1.0.0': { files } } });
    const cwd = project({ dependencies: { left: '1', right: '1' } });
    const before = tree(cwd);
    const error = await failureOf(() => installPlugin('./p', { cwd, registry: url, limits: { bytes: 1300 } }));
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('larger than 1300 bytes') });
    expect(tree(cwd)).toEqual(before);
  });

  it.each([
    [{ version: '1.0.0', integrity: 'sha512-AAAA' }, 'PACKAGE_UNSAFE', /integrity differs/],
    [{ link: true, resolved: '../../outside' }, 'PACKAGE_UNSAFE', /: it is no package of the registry/],
    [{ link: true, resolved: '../nowhere' }, 'SOURCE_INVALID', /Missing target in lock file: [^\n]*$/],
    [{ version: 'file:/etc' }, 'SOURCE_INVALID', /left/],
    [{ name: 'x@file:/etc', version: '1.0.0' }, 'SOURCE_INVALID', /x@file/],
  ])('the lock file of the plugin says of it %o', async (entry, code, message) => {
    const url = await registryOf(shelf());
    const packages = { '': { dependencies: { left: '*' } }, 'node_modules/left': entry, '../../outside': {} };
    const lock = JSON.stringify({ lockfileVersion: 3, packages });
    const cwd = project({ dependencies: { left: '*' } }, { 'p/package-lock.json': lock });
    expect(await refusal(cwd, url)).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe('what a plugin says of its dependencies is refused if', () => {
  it.each([
    [
      'its package.json has no names and ranges there',
      { dependencies: { left: 1 } },
      {},
      /package\.json: dependencies/,
    ],
    [
      'its lock file is of an old version',
      { dependencies: { left: '1' } },
      { 'p/package-lock.json': '{ "lockfileVersion": 1, "dependencies": {} }' },
      /lockfileVersion 1 is not read/,
    ],
    [
      'its lock file is damaged',
      { dependencies: { left: '1' } },
      { 'p/package-lock.json': '{ "lockfileVersion": 3,' },
      /package-lock\.json:1: is not JSON/,
    ],
  ])('%s', async (_, packageJson, more, message) => {
    const cwd = project(packageJson, more);
    const before = tree(cwd);
    const error = await failureOf(() => install(cwd, 'http://127.0.0.1:1/'));
    expect(error).toMatchObject({ code: 'MANIFEST_INVALID', message: expect.stringMatching(message) });
    expect(tree(cwd)).toEqual(before);
  });
});

describe('restoring a plugin with dependencies', () => {
  const installed = async (packages: Shelf) => {
    const url = await registryOf(packages);
    const cwd = project({ dependencies: { deep: '1.x' } });
    await install(cwd, url);
    const was = { lock: readFileSync(join(cwd, 'patchbay.lock'), 'utf8'), tree: tree(placeOf(cwd)) };
    rmSync(placeOf(cwd), { recursive: true });
    return { cwd, url, was };
  };

  it('gives exactly the same files, whatever the registry has by now', async () => {
    const packages = shelf();
    const { cwd, url, was } = await installed(packages);
    packages['left'] = { ...packages['left'], '1.9.0': {} };
    expect(await restorePlugins({ cwd, registry: url, frozen: true })).toMatchObject([{ state: 'restored' }]);
    expect(tree(placeOf(cwd))).toEqual(was.tree);
    expect(readFileSync(join(cwd, 'patchbay.lock'), 'utf8')).toBe(was.lock);
  });

  it('refuses another package under the same version, and changes nothing', async () => {
    const packages = shelf();
    const { cwd, url } = await installed(packages);
    packages['left'] = { '1.2.0': { files: [{ path: 'package/more.js', content: 'x' }] } };
    const before = tree(cwd);
    const error = await failureOf(() => restorePlugins({ cwd, registry: url, frozen: true }));
    expect(error).toMatchObject({
      code: 'PACKAGE_UNSAFE',
      plugin: 'needy',
      message: expect.stringMatching(/"needy" depends on npm:left@1\.2\.0: .*integrity differs/),
    });
    expect(tree(cwd)).toEqual(before);
  });

  it('refuses a lock file that puts one elsewhere', async () => {
    const { cwd, url, was } = await installed(shelf());
    writeFileSync(join(cwd, 'patchbay.lock'), was.lock.replace('"node_modules/left"', '"node_modules/../../../x"'));
    const error = await failureOf(() => restorePlugins({ cwd, registry: url }));
    expect(error).toMatchObject({ code: 'LOCK_INVALID' });
  });
});

it('a plugin without dependencies is installed without loading what would bring them', () => {
  const cwd = project({});
  const text = `import { installPlugin } from ${JSON.stringify(join(import.meta.dirname, '../../../src/install/index.ts'))};
    import { createRequire } from 'node:module';
    await installPlugin('./p', { cwd: ${JSON.stringify(cwd)} });
    const loaded = Object.keys(createRequire(import.meta.url).cache ?? {});
    process.stdout.write(String(loaded.filter((file) => /arborist|pacote/.test(file)).length));`;
  const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const { stdout } = spawnSync(process.execPath, [...flags, '--eval', text], { encoding: 'utf8' });
  expect(stdout).toBe('0');
});
