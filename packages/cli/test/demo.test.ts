import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { bin, cleanEnv, expectError, expectJsonError, patchbay } from './command.ts';

const shown = [
  /turn:dispatched: guard adds a note/,
  /guard changed it: ".* \(checked by guard\)"/,
  /contained: hostile: plugin "hostile" in hook "turn:dispatched" answered what the hook does not allow/,
  /notes: developer: /,
  /announce: developer finished turn /,
  /contained: hostile: plugin "hostile" in hook "turn:accepted" failed: Cannot assign to read only/,
  /contained: hostile: plugin "hostile" in hook "turn:rejected" did not answer within 200 ms/,
  /refused: plugin "guard" in hook "turn:dispatched" refused: agents do not touch production/,
];

describe('demo', () => {
  it('goes to its end, shows what is refused and contained, and leaves nothing behind', () => {
    const TMPDIR = folder();
    const { stdout, stderr, status } = patchbay(['demo'], { env: { TMPDIR } });
    for (const line of shown) expect(stderr).toMatch(line);
    expect(stdout).toContain('5 handlers worked, 3 failed and were contained, nothing was lost:');
    expect(stdout).toContain('patchbay hooks explain turn:dispatched');
    expect(status).toBe(0);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('prints one JSON document and nothing else', () => {
    const TMPDIR = folder();
    const { stdout, stderr, status } = patchbay(['demo', '--json'], { env: { TMPDIR } });
    const { ok, dir, deliveries } = JSON.parse(stdout) as {
      ok: boolean;
      dir: unknown;
      deliveries: Record<string, number>;
    };
    expect([ok, dir, stderr, status]).toEqual([true, null, '', 0]);
    expect(deliveries['ok']).toBeGreaterThan(0);
    expect(deliveries['failed']).toBeGreaterThan(0);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('leaves the project where one asks for it, to go on with', () => {
    const cwd = folder();
    const { stdout, status } = patchbay(['demo', '--dir', 'sample'], { cwd });
    const dir = join(cwd, 'sample');
    expect([status, stdout]).toEqual([0, expect.stringContaining(`The project is in ${dir}. Try there:`)]);
    expect(readdirSync(dir).sort()).toEqual([
      '.agentxchain',
      '.patchbay',
      'CHANGES.txt',
      'packages',
      'patchbay.lock',
      'patchbay.yaml',
      'plugins',
    ]);
    expect(readdirSync(join(dir, 'plugins')).sort()).toEqual(['guard.ts', 'hostile.mjs', 'notes.ts']);
    const next = patchbay(['hooks', 'explain', 'turn:dispatched'], { cwd: dir });
    expect(next.stdout).toMatch(/1\. +guard .*tryfirst.*\n2\. +hostile /);
  });

  it('takes an empty folder, and --cwd into account', () => {
    const cwd = folder();
    expect(patchbay(['--cwd', cwd, 'demo', '--dir', '.']).status).toBe(0);
    expect(existsSync(join(cwd, 'patchbay.yaml'))).toBe(true);
  });

  it('keeps a temporary project with --keep, and says where', () => {
    const TMPDIR = folder();
    const { stdout } = patchbay(['demo', '--keep', '--json'], { env: { TMPDIR } });
    const [name = ''] = readdirSync(TMPDIR);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, dir: join(TMPDIR, name) });
    expect(existsSync(join(TMPDIR, name, 'patchbay.yaml'))).toBe(true);
  });

  it('does not write into a folder that is not empty', () => {
    const cwd = folder({ 'mine.txt': 'mine' });
    expectError(patchbay(['demo', '--dir', '.'], { cwd }), 2, 'USAGE', /the folder .* is not empty; name a new one/);
    expectJsonError(patchbay(['demo', '--dir', '.', '--json'], { cwd }), 2, 'USAGE', /is not empty/);
    expect(readdirSync(cwd)).toEqual(['mine.txt']);
  });

  it('does not take a file for a folder', () => {
    const cwd = folder({ 'mine.txt': 'mine' });
    expectError(patchbay(['demo', '--dir', 'mine.txt'], { cwd }), 2, 'USAGE', /mine\.txt/);
  });

  it('leaves nothing behind when nobody listens any more', async () => {
    const TMPDIR = folder();
    const child = spawn(process.execPath, [bin, 'demo'], {
      env: cleanEnv({ TMPDIR }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    child.stderr.destroy();
    const status = await new Promise((resolve) => child.on('exit', resolve));
    expect([status, readdirSync(TMPDIR)]).toEqual([0, []]);
  });
});
