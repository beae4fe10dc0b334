import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { type Mood, registry } from '../../host/test/install/fetch/npm-registry.ts';
import { put, tree } from '../../host/test/install/fetch/scratch.ts';
import { type TarItem, tarOf, tgzOf } from '../../host/test/install/fetch/tar-file.ts';
import { type ZipItem, zipOf } from '../../host/test/install/fetch/zip-file.ts';
import { bin, cleanEnv, type Ended, expectError, patchbay } from './command.ts';

const fields = { name: 'p', version: '1.0.0', description: 'x', hooks: [] };
const manifest = { path: 'agentxchain-plugin.json', content: JSON.stringify(fields) };
const MB = 1024 * 1024;
let cwd: string;
let outside: string;

beforeEach(() => {
  cwd = folder({ 'agentxchain.json': '{ "plugins": {} /* ours */ }\n' });
  outside = folder();
});

/** Expects one line of error, and the project and what is around it as they were. */
async function refused(
  run: () => Ended | Promise<Ended>,
  [exit, code, message]: readonly [number, string, RegExp],
): Promise<void> {
  const before = [tree(cwd), tree(outside)];
  expectError(await run(), exit, code, message);
  expect([tree(cwd), tree(outside)]).toEqual(before);
}

function install(name: string, content: Buffer): Ended {
  writeFileSync(join(outside, name), content);
  const before = tree(outside);
  const ended = patchbay(['plugin', 'install', join(outside, name)], { cwd });
  expect(tree(outside)).toEqual(before);
  rmSync(join(outside, name));
  return ended;
}

describe('an archive is refused through the command, and the project stays byte for byte as it was, if it has', () => {
  const unsafe = (message: RegExp) => [2, 'PACKAGE_UNSAFE', message] as const;
  const tars: [string, TarItem[], ReturnType<typeof unsafe>][] = [
    ['an entry that leads out', [{ path: '../evil', content: 'x' }], unsafe(/"\.\.\/evil" is refused: it leads out/)],
    ['an absolute path', [{ path: '/tmp/evil', content: 'x' }], unsafe(/"\/tmp\/evil" is refused: .* absolute/)],
    ['a link', [{ path: 'l', type: 'SymbolicLink', linkpath: '../../..' }], unsafe(/"l" is refused: it is a link/)],
    ['a hard link', [{ path: 'l', type: 'Link', linkpath: '/etc/passwd' }], unsafe(/"l" .* it is a hard link/)],
    ['a device', [{ path: 'd', type: 'CharacterDevice' }], unsafe(/"d" is refused: it is a device/)],
    ['names that collide', [{ path: 'A.sh' }, { path: 'a.sh' }], unsafe(/"a\.sh" .* the same as "A\.sh"/)],
    ['a file of ten gigabytes', [{ path: 'big', size: 10 * 1024 * MB }], unsafe(/"big" .* larger than 26214400 bytes/)],
  ];
  it.each(tars)('%s (tar)', async (_, items, error) => {
    await refused(() => install('p.tgz', tgzOf([manifest, ...items])), error);
  });

  const zips: [string, ZipItem[], ReturnType<typeof unsafe>][] = [
    ['an entry that leads out', [{ path: 'a/../../evil', content: 'x' }], unsafe(/is refused: it leads out/)],
    ['an absolute path', [{ path: '/tmp/evil', content: 'x' }], unsafe(/is refused: .* absolute/)],
    ['a link', [{ path: 'l', content: '/etc', kind: 0o120000 }], unsafe(/"l" is refused: it is a link/)],
    ['names that collide', [{ path: 'A.sh' }, { path: 'a.sh' }], unsafe(/"a\.sh" .* the same as "A\.sh"/)],
    ['a file that claims two gigabytes', [{ path: 'big', size: 2 ** 31 }], unsafe(/"big" .* larger than 26214400/)],
  ];
  it.each(zips)('%s (zip)', async (_, items, error) => {
    await refused(() => install('p.zip', zipOf([manifest, ...items])), error);
  });

  it('more in it than its size tells', async () => {
    const zeros = Buffer.alloc(20 * MB);
    const items = Array.from({ length: 6 }, (_, i) => ({ path: `${i}`, content: zeros }));
    await refused(() => install('p.tgz', tgzOf([manifest, ...items])), unsafe(/larger than 104857600 bytes/));
    await refused(() => install('p.zip', zipOf([manifest, ...items])), unsafe(/larger than 104857600 bytes/));
  });

  it('very many entries', async () => {
    const items = Array.from({ length: 20_001 }, (_, i) => ({ path: `f${i}` }));
    await refused(() => install('p.tar', tarOf([manifest, ...items])), unsafe(/more than 20000 entries/));
    await refused(() => install('p.zip', zipOf([manifest, ...items])), unsafe(/more than 20000 entries/));
  });

  it.each([
    ['p.tgz', (whole: Buffer) => whole.subarray(0, -20)],
    ['p.tgz', () => Buffer.from('no archive at all')],
    ['p.zip', (whole: Buffer) => whole.subarray(0, -20)],
    ['p.zip', () => Buffer.from('no archive at all')],
  ])('an end that is missing, or nothing of an archive: %s', async (name, damage) => {
    const whole = name === 'p.zip' ? zipOf([manifest]) : tgzOf([manifest]);
    await refused(() => install(name, damage(whole)), [2, 'SOURCE_INVALID', /p\.(tgz|zip)/]);
  });

  it('bits that were turned', async () => {
    const whole = tgzOf([manifest, { path: 'data', content: 'x'.repeat(5000) }]);
    whole.writeUInt8(whole.readUInt8(60) ^ 0xff, 60);
    await refused(() => install('p.tgz', whole), [2, 'SOURCE_INVALID', /p\.tgz/]);
  });
});

describe('a folder is refused through the command if', () => {
  it('there is a link in it that leads out', async () => {
    put(outside, [manifest]);
    symlinkSync('/etc/passwd', join(outside, 'passwd'));
    const run = () => patchbay(['plugin', 'install', outside], { cwd });
    await refused(run, [2, 'PACKAGE_UNSAFE', /"passwd" .* leads out of the package/]);
  });
});

describe('a manifest is refused through the command if', () => {
  const invalid = (message: RegExp) => [2, 'MANIFEST_INVALID', message] as const;
  const text = JSON.stringify(fields);

  it.each<[string, string | Buffer, readonly [number, string, RegExp]]>([
    ['it begins with a byte-order mark', `\uFEFF${text}`, invalid(/byte-order mark/)],
    ['it is UTF-16', Buffer.from(text, 'utf16le'), invalid(/UTF-16/)],
    ['a name stands in it twice', text.replace('{', '{ "name": "q", '), invalid(/has "name" twice in one object/)],
    ['it is no JSON', '{', invalid(/is not JSON/)],
    ['it is two megabytes long', text.padEnd(2 * MB), invalid(/more than 1048576 are not read/)],
    ['it is fifty megabytes long', text.padEnd(50 * MB), [2, 'PACKAGE_UNSAFE', /larger than 26214400 bytes/]],
    ['the plugin is called ..', JSON.stringify({ ...fields, name: '..' }), invalid(/name: "\.\." must be/)],
    ['the plugin is called __proto__', text.replace('"p"', '"__proto__"'), invalid(/name: "__proto__" must be/)],
    [
      'it names a script outside',
      JSON.stringify({ ...fields, hooks: [{ event: 'turn:accepted', type: 'script', run: '../../x.sh' }] }),
      invalid(/hooks\[0\]\.run: .* must be a path inside the package/),
    ],
  ])('%s', async (_, content, error) => {
    put(outside, [{ ...manifest, content }]);
    await refused(() => patchbay(['plugin', 'install', outside], { cwd }), error);
  });
});

it('what is wrong with a manifest is told with the file that is to be mended, not with its copy', async () => {
  put(outside, [{ ...manifest, content: '{' }]);
  const file = join(outside, manifest.path);
  const run = () => patchbay(['plugin', 'install', `${outside}/`, '--json'], { cwd });
  const { error } = JSON.parse((await run()).stdout) as { error: { file: string; message: string } };
  expect(error.file).toBe(file);
  expect(error.message).toContain(`${file}:`);
  expect(error.message).not.toContain('stage-');
});

describe('a name that is none is refused through the command, by', () => {
  it.each(['remove', 'info', 'enable', 'disable', 'upgrade', 'verify'])('%s', async (verb) => {
    for (const name of ['..', '__proto__', '../../etc']) {
      await refused(() => patchbay(['plugin', verb, name], { cwd }), [2, 'PLUGIN_UNKNOWN', /plugin/]);
    }
  });
});

describe('a registry is seen through by the command if', () => {
  /** Not `patchbay`, which would not let the registry answer. */
  async function installing(spec: string, env: Readonly<Record<string, string>>): Promise<Ended> {
    const child = spawn(process.execPath, [bin, 'plugin', 'install', spec], { cwd, env: cleanEnv(env) });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { stdout, stderr, status };
  }
  const packed = tgzOf([{ ...manifest, path: `package/${manifest.path}` }]);

  it.each<[string, Mood, readonly [number, string, RegExp]]>([
    ['it does not have the package', 'missing', [2, 'SOURCE_INVALID', /npm:p: there is no such package/]],
    ['it fails', 'broken', [1, 'SOURCE_UNAVAILABLE', /npm:p: the registry failed: 500/]],
    ['it refuses', 'forbidden', [1, 'SOURCE_UNAVAILABLE', /npm:p: the registry refuses/]],
    ['it answers with a web page', 'garbage', [1, 'SOURCE_UNAVAILABLE', /npm:p: the registry failed/]],
    ['it breaks off', 'tarball cut', [1, 'SOURCE_UNAVAILABLE', /npm:p: the registry failed/]],
    ['it sends something else', 'tampered', [2, 'PACKAGE_UNSAFE', /npm:p: .*integrity differs/]],
    ['it never ends', 'tarball endless', [2, 'PACKAGE_UNSAFE', /npm:p: its tarball is larger/]],
  ])('%s', async (_, mood, error) => {
    const url = await registry('p', { '1.0.0': packed }, mood);
    await refused(() => installing('npm:p', { npm_config_registry: url }), error);
  });

  it('nobody is there', async () => {
    const run = () => installing('npm:p', { npm_config_registry: 'http://127.0.0.1:1/' });
    await refused(run, [1, 'SOURCE_UNAVAILABLE', /npm:p: the registry failed/]);
  });

  it('all is well: then the plugin is installed', async () => {
    const url = await registry('p', { '1.0.0': packed });
    expect(await installing('npm:p', { npm_config_registry: url })).toMatchObject({ stderr: '', status: 0 });
  });
});

describe('a project that cannot be changed', () => {
  it('because it is read-only is told so, and stays as it was', async () => {
    put(outside, [manifest]);
    chmodSync(outside, 0o755);
    chmodSync(cwd, 0o555);
    // To the superuser nothing is read-only; nobody is somebody else.
    const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const run = () => {
      const args = [bin, 'plugin', 'install', outside];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, {
        ...who,
        cwd,
        env: cleanEnv(),
        encoding: 'utf8',
      });
      return { stdout, stderr, status };
    };
    await refused(run, [1, 'PROJECT_WRITE', /could not be changed: EACCES/]);
    chmodSync(cwd, 0o755);
  });

  it('because its file was edited meanwhile keeps the edit, and nothing else has changed', () => {
    put(outside, [manifest]);
    const file = join(cwd, 'agentxchain.json');
    // Edits the file when the command has read it and begins to bring the plugin.
    const preload = `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { mkdtempSync } = fs;
      fs.mkdtempSync = (...args) => {
        fs.writeFileSync(${JSON.stringify(file)}, '{ "edited": true }');
        return mkdtempSync(...args);
      };
      syncBuiltinESMExports();`;
    const flags = ['--import', join(folder({ 'edit.mjs': preload }), 'edit.mjs')];
    const ended = patchbay(['plugin', 'install', outside], { cwd, flags });
    expectError(ended, 1, 'PROJECT_BUSY', /agentxchain\.json was changed meanwhile; nothing was done/);
    expect(readFileSync(file, 'utf8')).toBe('{ "edited": true }');
    expect(tree(cwd)).toEqual(['agentxchain.json: 644 { "edited": true }']);
  });

  it.each(['{', '{ "plugins": [] }', '{ "plugins": { "p": { "enabled": "yes" } } }'])(
    'because its file says %s is told so',
    async (content) => {
      put(outside, [manifest]);
      writeFileSync(join(cwd, 'agentxchain.json'), content);
      const run = () => patchbay(['plugin', 'install', outside], { cwd });
      await refused(run, [2, 'PROJECT_INVALID', /agentxchain\.json/]);
    },
  );

  it.each(['{', '[]', '{ "lockfileVersion": 9, "plugins": {} }', '{ "lockfileVersion": 1, "plugins": { "p": {} } }'])(
    'because its lock file says %s is told so',
    async (content) => {
      put(outside, [manifest]);
      writeFileSync(join(cwd, 'patchbay.lock'), content);
      const run = () => patchbay(['plugin', 'install', outside], { cwd });
      await refused(run, [2, 'LOCK_INVALID', /patchbay\.lock/]);
    },
  );
});
