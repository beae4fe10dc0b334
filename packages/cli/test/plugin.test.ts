import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import { beforeEach, describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { bin, cleanEnv, expectError, patchbay } from './command.ts';

const config = `{
  // Ours.
  "project": "x",
  "plugins": {},
  "zeal": [1,   2]
}
`;
const hook = (event: string) => ({ event, type: 'script', run: './hooks/a.sh', timeout_ms: 10_000 });
const schema = {
  type: 'object',
  properties: { webhook_url: { type: 'string' }, channel: { type: 'string', default: '#agentxchain' } },
  required: ['webhook_url'],
};
let cwd: string;

/** A package in a folder of the project. */
function pack(dir: string, changes: object = {}): string {
  const manifest = {
    name: 'plugin-slack-notify',
    version: '1.2.0',
    description: 'Post turn summaries',
    hooks: [hook('turn:accepted'), hook('turn:rejected')],
    ...changes,
  };
  const files = { 'agentxchain-plugin.json': JSON.stringify(manifest), 'hooks/a.sh': '#!/bin/sh\necho hi\n' };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, dir, name)), { recursive: true });
    writeFileSync(join(cwd, dir, name), text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  }
  return `./${dir}`;
}

const plugin = (...args: string[]) => patchbay(['plugin', ...args], { cwd });
const done = (...args: string[]) => {
  const ended = plugin(...args, '--json');
  expect(ended).toMatchObject({ stderr: '', status: 0 });
  return JSON.parse(ended.stdout) as Record<string, unknown> & Record<string, unknown>[];
};
const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
const installedDir = () => join(cwd, '.agentxchain/plugins/plugin-slack-notify');

beforeEach(() => {
  cwd = folder({ 'agentxchain.json': config });
});

describe('installing, as the document has it', () => {
  it('copies a directory to .agentxchain/plugins/NAME, run bits and all', () => {
    const installed = done('install', pack('p'));
    expect(installed).toMatchObject({
      name: 'plugin-slack-notify',
      version: '1.2.0',
      path: '.agentxchain/plugins/plugin-slack-notify',
      source: './p',
      integrity: expect.stringMatching(/^sha512-/),
      hooks: ['turn:accepted', 'turn:rejected'],
      grants: [],
      warnings: [],
    });
    expect(statSync(join(installedDir(), 'hooks/a.sh')).mode & 0o111).not.toBe(0);
  });

  it('extracts an archive, with or without one top folder, to the same files', async () => {
    pack('p');
    const fromFolder = done('install', './p');
    await create({ cwd, gzip: true, file: join(cwd, 'top.tar.gz') }, ['p']);
    await create({ cwd: join(cwd, 'p'), gzip: true, file: join(cwd, 'flat.tgz') }, ['.']);
    for (const archive of ['./top.tar.gz', './flat.tgz']) {
      expect(done('install', archive, '--force')['integrity']).toBe(fromFolder['integrity']);
    }
  });

  it('rejects an invalid manifest and changes nothing', () => {
    expectError(
      plugin('install', pack('p', { version: 'one', hooks: [hook('turn:acepted')] })),
      2,
      'MANIFEST_INVALID',
      /2 problems: version: .*hooks\[0\]\.event: .*"turn:accepted"/,
    );
    expect(readdirSync(cwd).sort()).toEqual(['agentxchain.json', 'p']);
    expect(read('agentxchain.json')).toBe(config);
  });

  it('checks that required config values are present under plugins.<name>.config', () => {
    const source = pack('p', { config_schema: schema });
    expectError(plugin('install', source), 2, 'CONFIG_INVALID', /"webhook_url" is required/);
    const filled = config.replace('{},', '{ "plugin-slack-notify": { "config": { "webhook_url": "https://x" } } },');
    writeFileSync(join(cwd, 'agentxchain.json'), filled);
    expect(done('install', source)['name']).toBe('plugin-slack-notify');
  });

  it('refuses a name that is taken unless forced, and warns of events that are hooked twice', () => {
    done('install', pack('p'));
    expectError(plugin('install', './p'), 2, 'PLUGIN_INSTALLED', /"plugin-slack-notify" is installed already/);
    expect(done('install', pack('p', { version: '1.3.0' }), '--force')['version']).toBe('1.3.0');
    const { warnings } = done('install', pack('q', { name: 'plugin-json-report', hooks: [hook('turn:accepted')] }));
    expect(warnings).toEqual(['turn:accepted is also hooked by plugin-slack-notify; all of them are called']);
  });

  it('records the plugin in agentxchain.json and leaves comments, order and spacing of the rest alone', () => {
    done('install', pack('p', { config_schema: schema }), '--set', 'webhook_url=${SLACK_URL}', 'channel="#ops"');
    const text = read('agentxchain.json');
    for (const part of ['  // Ours.\n', '  "project": "x",\n', '  "zeal": [1,   2]\n']) expect(text).toContain(part);
    const [, registered] = /"plugin-slack-notify": (\{.*?\n {4}\})/s.exec(text) ?? [];
    expect(JSON.parse(registered ?? '')).toEqual({
      version: '1.2.0',
      enabled: true,
      config: { webhook_url: '${SLACK_URL}', channel: '#ops' },
    });
    expect(read('patchbay.lock')).not.toContain('SLACK_URL');
  });

  it('stops with exit 2 and what to pass when the plugin asks for what it was not given', () => {
    const http = {
      event: 'turn:accepted',
      type: 'http',
      url: 'https://example.com/h',
      headers: { A: 'Bearer ${TOKEN}' },
    };
    const source = pack('p', { hooks: [http] });
    expectError(plugin('install', source), 2, 'GRANT_MISSING', /--grant env:TOKEN --grant net:example\.com/);
    expect(existsSync(installedDir())).toBe(false);
    expect(done('install', source, '--grant', 'env:TOKEN', 'net:example.com')['grants']).toEqual([
      'env:TOKEN',
      'net:example.com',
    ]);
  });

  it.each(['plugin-slack-notify', '@agentxchain/plugin-slack-notify'])(
    'knows the built-in %s without a registry',
    (name) => {
      const { source, hooks } = done('install', name, '--set', 'webhook_url=${SLACK_URL}');
      expect(source).toBe('builtin:plugin-slack-notify');
      expect(hooks).toEqual(['turn:accepted', 'turn:rejected', 'gate:transition', 'gate:completion']);
      expect(statSync(join(installedDir(), 'hooks/notify.mjs')).mode & 0o111).not.toBe(0);
      expect(existsSync(join(installedDir(), 'test'))).toBe(false);
    },
  );

  it('lets two installs at the same moment both succeed, and loses neither', async () => {
    pack('p');
    pack('q', { name: 'plugin-json-report' });
    const codes = await Promise.all(
      ['./p', './q'].map((source) => {
        const child = spawn(process.execPath, [bin, 'plugin', 'install', source], { cwd, env: cleanEnv() });
        return new Promise((resolve) => child.on('exit', resolve));
      }),
    );
    expect(codes).toEqual([0, 0]);
    expect(done('list').map(({ name }) => name)).toEqual(['plugin-json-report', 'plugin-slack-notify']);
  });
});

describe('listing', () => {
  it('prints the lines of the document, and its JSON with more beside it', () => {
    done('install', pack('p'));
    done('install', pack('q', { name: 'plugin-json-report', version: '1.0.3', hooks: [hook('run:completed')] }));
    expect(plugin('list').stdout.replaceAll(/ +/g, ' ')).toBe(
      'Installed plugins:\nplugin-json-report v1.0.3 1 hook enabled\nplugin-slack-notify v1.2.0 2 hooks enabled\n',
    );
    expect(done('list')).toMatchObject([
      { name: 'plugin-json-report', version: '1.0.3', hooks: ['run:completed'], enabled: true, status: 'ok' },
      { name: 'plugin-slack-notify', version: '1.2.0', hooks: ['turn:accepted', 'turn:rejected'], enabled: true },
    ]);
  });

  it('tells which plugin is not run and why', () => {
    done('install', pack('p'));
    const lock = read('patchbay.lock');
    writeFileSync(join(cwd, 'patchbay.lock'), '{ "lockfileVersion": 1, "plugins": {} }');
    expect(done('list')[0]).toMatchObject({ status: expect.stringContaining('not in the lock file') });
    writeFileSync(join(cwd, 'patchbay.lock'), lock);
    writeFileSync(join(installedDir(), 'hooks/a.sh'), 'changed');
    expect(plugin('verify')).toMatchObject({ status: 1, stdout: expect.stringContaining('differ from the lock file') });
  });
});

describe('upgrading, switching and removing', () => {
  it('replaces a plugin by another version and keeps its configuration', () => {
    done('install', pack('p', { config_schema: schema }), '--set', 'webhook_url=https://x');
    expect(
      done('upgrade', 'plugin-slack-notify', '--from', pack('next', { version: '1.3.0', config_schema: schema }))[
        'version'
      ],
    ).toBe('1.3.0');
    expect(read('agentxchain.json')).toContain('"version": "1.3.0"');
    expect(read('agentxchain.json')).toContain('"webhook_url": "https://x"');
    expect(readdirSync(join(cwd, '.agentxchain/plugins'))).toEqual(['plugin-slack-notify']);
  });

  it('leaves the old version whole when the new one is wrong, is another plugin, or asks for more', () => {
    done('install', pack('p'));
    const before = [read('agentxchain.json'), read('patchbay.lock')];
    const upgrade = (changes: object) => plugin('upgrade', 'plugin-slack-notify', '--from', pack('next', changes));
    expectError(upgrade({ version: 'two' }), 2, 'MANIFEST_INVALID', /version/);
    expectError(upgrade({ name: 'other' }), 2, 'SOURCE_INVALID', /is plugin "other"/);
    const http = { event: 'turn:accepted', type: 'http', url: 'https://example.com/h' };
    expectError(upgrade({ hooks: [http] }), 2, 'GRANT_MISSING', /net:example\.com/);
    expect([read('agentxchain.json'), read('patchbay.lock')]).toEqual(before);
    expect(plugin('verify').status).toBe(0);
  });

  it('switches a plugin off and on again', () => {
    done('install', pack('p'));
    expect(done('disable', 'plugin-slack-notify')['enabled']).toBe(false);
    expect(plugin('list').stdout).toContain('disabled');
    expect(done('enable', 'plugin-slack-notify')['enabled']).toBe(true);
  });

  it('removes folder, registration and lock entry, and refuses names it does not know', () => {
    done('install', pack('p'));
    expectError(plugin('remove', 'plugin-slack'), 2, 'PLUGIN_UNKNOWN', /known are plugin-slack-notify/);
    expectError(plugin('remove', '../../etc'), 2, 'PLUGIN_UNKNOWN', /etc/);
    done('remove', 'plugin-slack-notify');
    expect(read('agentxchain.json')).toBe(config);
    expect(existsSync(installedDir())).toBe(false);
    expect(existsSync(join(cwd, 'patchbay.lock'))).toBe(false);
    expect(existsSync(join(cwd, '.patchbay/install'))).toBe(false);
  });

  it('never follows a lock file out of the project', () => {
    const entry = {
      version: '1.0.0',
      source: 'x',
      resolved: 'x',
      integrity: 'x',
      hooks: [],
      grants: [],
      installed_at: '2026-01-01T00:00:00.000Z',
    };
    const outside = folder({ 'precious.txt': 'keep' });
    writeFileSync(
      join(cwd, 'patchbay.lock'),
      JSON.stringify({ lockfileVersion: 1, plugins: { [`../../..${outside}`]: entry } }),
    );
    expectError(plugin('remove', `../../..${outside}`), 2, 'PLUGIN_UNKNOWN', /is no name of a plugin/);
    expect(existsSync(join(outside, 'precious.txt'))).toBe(true);
  });
});

describe('restoring what the lock file says', () => {
  const restore = (...more: string[]) => done('install', ...more).map(({ name, state }) => `${name} ${state}`);

  it('brings back what is missing or was changed, and only that', () => {
    done('install', pack('p'));
    done('install', pack('q', { name: 'plugin-json-report' }));
    expect(restore()).toEqual(['plugin-json-report unchanged', 'plugin-slack-notify unchanged']);
    writeFileSync(join(installedDir(), 'hooks/a.sh'), 'changed');
    expect(restore('--frozen')).toEqual(['plugin-json-report unchanged', 'plugin-slack-notify restored']);
    expect(plugin('verify').status).toBe(0);
  });

  it('refuses a source that gives something else now, and changes nothing', () => {
    done('install', pack('p'));
    rmSync(installedDir(), { recursive: true });
    writeFileSync(join(cwd, 'p/hooks/a.sh'), 'something else');
    expectError(plugin('install'), 1, 'LOCK_DIFFERS', /is not what was installed/);
    expect(existsSync(installedDir())).toBe(false);
  });

  it('with --frozen refuses a project file that differs from the lock file', () => {
    done('install', pack('p'));
    writeFileSync(join(cwd, 'agentxchain.json'), read('agentxchain.json').replace('"1.2.0"', '"9.9.9"'));
    expectError(plugin('install', '--frozen'), 1, 'LOCK_DIFFERS', /plugin-slack-notify 9\.9\.9 .* 1\.2\.0/);
  });
});

describe('linking, for development', () => {
  it('runs the files where they are, and removing takes only the link away', () => {
    expect(done('install', pack('p'), '--link')['integrity']).toBe('link');
    writeFileSync(join(cwd, 'p/hooks/a.sh'), 'worked on');
    expect(readFileSync(join(installedDir(), 'hooks/a.sh'), 'utf8')).toBe('worked on');
    expect(plugin('verify')).toMatchObject({ status: 0, stdout: expect.stringContaining('linked') });
    done('remove', 'plugin-slack-notify');
    expect(existsSync(installedDir())).toBe(false);
    expect(existsSync(join(cwd, 'p/hooks/a.sh'))).toBe(true);
  });
});
