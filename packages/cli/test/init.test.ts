import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { expectError, patchbay } from './command.ts';

describe('init', () => {
  it('makes a project in which a run can be begun', () => {
    const cwd = folder();
    const { stdout, status } = patchbay(['init', 'mine', '--template', 'governed', '--json'], { cwd });
    const { dir, files } = JSON.parse(stdout) as { dir: string; files: string[] };
    expect([status, dir]).toEqual([0, join(cwd, 'mine')]);
    expect(files).toEqual(expect.arrayContaining(['patchbay.yaml', 'agents/agent.sh', '.gitignore']));
    expect(statSync(join(dir, 'agents/agent.sh')).mode & 0o111).not.toBe(0);
    const run = patchbay(['run', '--input', 'x', '--json'], { cwd: dir });
    expect(run.status).toBe(4);
    expect(JSON.parse(run.stdout)).toMatchObject({ status: 'held', reason: expect.stringContaining('edit it') });
  });

  it('leaves what is there alone', () => {
    const cwd = folder({ 'patchbay.yaml': 'plugins: {}\n', '.gitignore': 'dist' });
    expectError(patchbay(['init'], { cwd }), 2, 'USAGE', /has patchbay\.yaml already/);
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('dist');
  });

  it('adds to .gitignore once', () => {
    const cwd = folder({ '.gitignore': 'dist' });
    expect(patchbay(['init'], { cwd }).status).toBe(0);
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('dist\n.patchbay/\n');
  });

  it('tells which templates there are', () => {
    expectError(patchbay(['init', '--template', 'nope'], { cwd: folder() }), 2, 'USAGE', /governed, pace/);
  });
});
