import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
let clone: string;

/** What a visitor has: the machine's own Node and npm, nothing of this checkout. */
function visitor(): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'));
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|node_|vitest|vite_|init_cwd)/i.test(name));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

function run(command: string, ...args: string[]) {
  return spawnSync(command, args, { cwd: clone, env: visitor(), encoding: 'utf8' });
}

describe('a fresh clone on a machine with only its own Node', () => {
  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'patchbay-clone-'));
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  it('shows the demo with one command', () => {
    const { status, stdout, stderr } = run('npm', 'run', 'demo');
    expect(stderr).toContain('Installing packages');
    expect(stdout).toContain('nothing was lost');
    expect(status).toBe(0);
  });

  it('shows it again without installing or building anew', () => {
    const { status, stdout, stderr } = run('npm', 'run', 'demo');
    expect(stderr).not.toContain('Installing packages');
    expect(stderr).not.toContain('Building');
    expect(stdout).toContain('nothing was lost');
    expect(status).toBe(0);
  });

  it('has the command behind npx, on the Node that it needs', () => {
    expect(run('npx', 'node', '--version').stdout).toMatch(/^v2[4-9]\./);
    const { status, stdout } = run('npx', 'patchbay', 'hooks', 'list', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'turn:accepted', kind: 'notify' }));
  });

  it('says in one line what is wrong when started with an old Node', () => {
    const { stdout: version } = run('node', '--version');
    const { status, stdout, stderr } = run('node', 'packages/cli/bin/patchbay.cjs', 'hooks', 'list');
    if (Number(/\d+/.exec(version)?.[0]) >= 24) {
      expect(stdout).toContain('turn:accepted');
    } else {
      expect(stderr).toMatch(/^error NODE_TOO_OLD: .*Node\.js 24.*npx patchbay.*\n$/);
      expect(status).toBe(1);
    }
  });

  // All of them are what CI runs, on a fresh clone too.
  it('runs its tests with one command', () => {
    const { status, stdout } = run('npm', 'test', '--', 'test/readme.test.ts', 'packages/cli/test/usage.test.ts');
    expect(stdout).toMatch(/Tests: [1-9]\d* passed, 0 failed, 0 skipped/);
    expect(status).toBe(0);
  });
});
