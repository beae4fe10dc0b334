import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../../test/flows/stage.ts';
import { folder } from '../../../test/project.ts';
import { bin, cleanEnv, expectError, expectJsonError, patchbay } from './command.ts';

const shown = [
  /installed announce: turn:accepted/,
  /^run-\S+: Make the tests pass$/m,
  /notes: planner: Count pages from one/,
  /announce: planner finished planning\.planner/,
  /you opened gate "plan"/,
  /implementation\.developer rejected: A test is missing/,
  /notes: developer has to try again: A test is missing/,
  /implementation\.developer accepted: Fixed the off-by-one/,
  /policy opened gate "evidence"/,
  /you opened gate "completion"/,
  /contained \d+ times: hostile at turn:dispatched: .* answered what the hook does not allow/,
  /contained \d+ times: hostile at turn:accepted: .* Cannot assign to read only/,
  /contained 3 times: hostile at turn:rejected: .* did not answer within 200 ms/,
  /POST \/github\/push, signed: 200 \{"status":"accepted"\}/,
  /build\.forge rejected: npm test exited with 1/,
  /build\.forge rejected: ADVISORY: timeouts: src\/remote\.js:3: fetch has no time limit/,
  /build\.forge\.3\.sentinel submitted: sentinel: SHIP/,
  /record\.scribe accepted/,
];

describe('demo', () => {
  it('goes to its end, shows what is rejected, approved and contained, and leaves nothing behind', () => {
    const TMPDIR = folder();
    const { stdout, stderr, status } = patchbay(['demo'], { env: { TMPDIR } });
    for (const line of shown) expect(stderr).toMatch(line);
    expect(stdout).toContain('The run is completed: 5 turns, 1 decision, 0.04 USD.\n');
    expect(stdout).toContain('The day is shipped, at attempt 3; ');
    expect(stderr).not.toContain('ExperimentalWarning');
    expect(stdout).toMatch(/\d+ handlers worked, \d+ failed and were contained, nothing was lost:/);
    expect(stdout).toContain('patchbay hooks explain turn:dispatched');
    expect(status).toBe(0);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('prints one JSON document and nothing else, and leaves the project where one asks for it, to go on with', () => {
    const cwd = folder();
    const dir = join(cwd, 'sample');
    const { stdout, stderr, status } = patchbay(['--cwd', cwd, 'demo', '--dir', 'sample', '--json']);
    const { runs, deliveries, ...rest } = JSON.parse(stdout) as {
      runs: { run_id: string }[];
      deliveries: Record<string, number>;
    };
    expect([rest, stderr, status]).toEqual([{ ok: true, dir }, '', 0]);
    expect(runs).toEqual([
      { run_id: expect.stringMatching(/^run-/), template: 'governed', status: 'completed' },
      { run_id: expect.stringMatching(/^run-/), template: 'pace', status: 'completed' },
    ]);
    // Each run tells one address that it is done; Slack hears of three verdicts of GATE, PagerDuty of no held day.
    expect(deliveries['received']).toBe(5);
    expect(deliveries['ok']).toBeGreaterThan(0);
    expect(deliveries['failed']).toBeGreaterThan(0);
    expect(readdirSync(dir).sort()).toEqual([
      '.agentxchain',
      '.git',
      '.gitignore',
      '.pace',
      '.patchbay',
      'README.md',
      'agents',
      'pace',
      'package.json',
      'packages',
      'patchbay.lock',
      'patchbay.yaml',
      'plugins',
      'src',
      'test',
    ]);
    expect(readdirSync(join(dir, 'plugins')).sort()).toEqual(['guard.ts', 'hostile.mjs', 'notes.ts']);
    expect(readdirSync(join(dir, '.pace/day-1')).sort()).toEqual([
      'conduit.yaml',
      'gate.yaml',
      'handoff.yaml',
      'sentinel.yaml',
      'story.yaml',
    ]);
    const next = patchbay(['hooks', 'explain', 'turn:dispatched'], { cwd: dir });
    expect(next.stdout).toMatch(/1\. +guard .*tryfirst.*\n2\. +hostile /);
    goesOn(dir, runs[0]?.run_id ?? '');
  });

  it('keeps a temporary project with --keep, and says where', () => {
    const TMPDIR = folder();
    const { stdout } = patchbay(['demo', '--keep'], { env: { TMPDIR } });
    const [name = ''] = readdirSync(TMPDIR);
    expect(stdout).toContain(`The project is in ${join(TMPDIR, name)}. Try there:`);
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

/** There is a report and the mended code on a branch, and other runs can follow. */
function goesOn(dir: string, run_id: string): void {
  const report: unknown = JSON.parse(readFileSync(join(dir, `.agentxchain/reports/${run_id}.json`), 'utf8'));
  expect(report).toMatchObject({ run: { run_id, turns: 5 }, verification: { status: 'pass' } });
  expect(git(dir, 'show', `patchbay/${run_id}:src/pager.js`)).toContain('(page - 1) * size');
  expect(git(dir, 'show', 'HEAD:src/pager.js')).toContain('return page * size');
  const known: unknown = JSON.parse(patchbay(['status', '--json'], { cwd: dir }).stdout);
  expect(known).toContainEqual(expect.objectContaining({ run_id }));
  const refused = patchbay(['run', '--input', 'Tidy up production', '--json'], { cwd: dir });
  expect(refused.status).toBe(4);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    status: 'held',
    reason: expect.stringContaining('agents do not touch production'),
  });
  const next = patchbay(['run', '--input', 'Make the tests pass again', '--json'], { cwd: dir });
  expect([next.status, JSON.parse(next.stdout)]).toEqual([3, expect.objectContaining({ status: 'waiting' })]);
}
