import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const command = join(root, 'packages/cli/bin/patchbay.cjs');
const preload = join(import.meta.dirname, 'kill-at.mjs');
let work: string;

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'patchbay-crash-'));
  for (const version of ['1.0.0', '2.0.0']) {
    const dir = join(work, `plugin-${version}`);
    mkdirSync(join(dir, 'hooks'), { recursive: true });
    const hooks = [{ event: 'turn:accepted', type: 'script', run: './hooks/a.sh' }];
    const manifest = { name: 'crashy', version, description: 'x', hooks };
    writeFileSync(join(dir, 'agentxchain-plugin.json'), JSON.stringify(manifest));
    writeFileSync(join(dir, 'hooks/a.sh'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  }
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

function patchbay(cwd: string, args: readonly string[], killAt?: number, failAt = 0) {
  const flags = killAt === undefined ? [] : ['--import', preload];
  return spawnSync(process.execPath, [...flags, command, ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: work, KILL_AT: String(killAt ?? 0), FAIL_AT: String(failAt) },
  });
}

/** Every file of a project with its content; the time of installation, which differs each time, left out. */
function snapshot(dir: string, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(dir, prefix)).flatMap((name) => {
      const path = join(prefix, name);
      if (lstatSync(join(dir, path)).isDirectory()) return Object.entries({ [`${path}/`]: '', ...snapshot(dir, path) });
      return [[path, readFileSync(join(dir, path), 'utf8').replace(/"installed_at": ".*"/, '')]];
    }),
  );
}

/** Empty folders that any command may make or tidy away say nothing about the state of the project. */
function state(dir: string): Record<string, string> {
  const all = snapshot(dir);
  for (const name of Object.keys(all)) if (name.startsWith('.patchbay') && name.endsWith('/')) delete all[name];
  return all;
}

const cases: Record<string, { before: string[][]; change: string[] }> = {
  'installing a plugin': { before: [], change: ['plugin', 'install', '../plugin-1.0.0'] },
  'upgrading a plugin': {
    before: [['plugin', 'install', '../plugin-1.0.0']],
    change: ['plugin', 'upgrade', 'crashy', '--from', '../plugin-2.0.0'],
  },
  'removing a plugin': {
    before: [['plugin', 'install', '../plugin-1.0.0']],
    change: ['plugin', 'remove', 'crashy'],
  },
};

describe.each(Object.entries(cases))('a crash at any moment of %s', (name, { before, change }) => {
  it('leaves exactly the old state or exactly the new one, and no litter; so does a full disk', () => {
    const base = join(work, `${name.split(' ')[0]}-base`);
    mkdirSync(base);
    writeFileSync(join(base, 'patchbay.yaml'), '# kept\nplugins:\n  # kept too\n');
    for (const args of before) expect(patchbay(base, args).status).toBe(0);
    const old = state(base);

    const done = join(work, `${name.split(' ')[0]}-done`);
    cpSync(base, done, { recursive: true });
    const whole = patchbay(done, change, Number.MAX_SAFE_INTEGER);
    expect(whole.status).toBe(0);
    const steps = Number(/steps (\d+)/.exec(whole.stderr)?.[1]);
    const changed = state(done);
    expect(changed).not.toEqual(old);
    expect(steps).toBeGreaterThan(12);

    const seen = { old: 0, new: 0 };
    for (let at = 1; at <= steps; at++) {
      const dir = join(work, 'crashed');
      cpSync(base, dir, { recursive: true });
      const crash = patchbay(dir, change, at);
      expect(crash.signal, `killed at step ${at}`).toBe('SIGKILL');
      expect(patchbay(dir, ['plugin', 'list', '--json']).status).toBe(0);
      const after = state(dir);
      const isOld = JSON.stringify(after) === JSON.stringify(old);
      seen[isOld ? 'old' : 'new']++;
      if (!isOld) expect(after, `after a crash at step ${at}`).toEqual(changed);
      rmSync(dir, { recursive: true, force: true });
    }
    expect(seen.old).toBeGreaterThan(0);
    expect(seen.new).toBeGreaterThan(0);
    process.stderr.write(`${name}: ${steps} moments, ${seen.old} old, ${seen.new} new\n`);

    // The same with a disk that is full at that moment: an error says so and means the old state, success the new one.
    const ended = { failed: 0, done: 0 };
    for (let at = 1; at <= steps; at++) {
      const dir = join(work, 'full');
      cpSync(base, dir, { recursive: true });
      const { status, stderr } = patchbay(dir, change, 0, at);
      expect(stderr, `disk full at step ${at}`).not.toContain('INTERNAL');
      expect(patchbay(dir, ['plugin', 'list', '--json']).status).toBe(0);
      expect(state(dir), `disk full at step ${at}, exit ${status}: ${stderr}`).toEqual(status === 0 ? changed : old);
      ended[status === 0 ? 'done' : 'failed']++;
      rmSync(dir, { recursive: true, force: true });
    }
    expect(ended.failed).toBeGreaterThan(ended.done);
  });
});
