import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sample } from 'patchbay-sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';

const script = join(import.meta.dirname, '../hooks/report.mjs');
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'patchbay-report-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the script in a project as the document says that hooks are run. */
function report(config: object = {}, changes: object = {}) {
  const payload = { ...sample('run:completed'), ...changes };
  for (const [name, value] of Object.entries({ payload, config }))
    writeFileSync(join(dir, name), JSON.stringify(value));
  const env = {
    PATH: process.env['PATH'],
    AGENTXCHAIN_PAYLOAD_FILE: join(dir, 'payload'),
    AGENTXCHAIN_PLUGIN_CONFIG: join(dir, 'config'),
  };
  return spawnSync(process.execPath, [script], { cwd: dir, env, encoding: 'utf8' });
}

it('writes the report of a run to .agentxchain/reports/<run_id>.json', () => {
  expect(report()).toMatchObject({ status: 0, stderr: '' });
  const { run_summary: summary, decisions } = sample('run:completed');
  expect(JSON.parse(readFileSync(join(dir, '.agentxchain/reports/run-1.json'), 'utf8'))).toEqual({
    run: {
      run_id: 'run-1',
      template: 'governed',
      goal: 'Make the tests pass',
      completed_at: '2026-01-01T12:00:00.000Z',
      turns: 3,
    },
    phases: summary.phases,
    decisions,
    objections: [],
    verification: summary.verification,
    cost: summary.cost,
  });
});

it('leaves out and puts in what it is told to, where it is told to', () => {
  report({ output_dir: 'out', include_decisions: false, include_objections: false, include_file_diffs: true });
  const written = JSON.parse(readFileSync(join(dir, 'out/run-1.json'), 'utf8'));
  expect(Object.keys(written)).toEqual(['run', 'phases', 'file_diffs', 'verification', 'cost']);
});

/** Calls git as a user does. */
function git(...args: string[]): void {
  const who = ['-c', 'user.name=developer', '-c', 'user.email=developer@example.invalid'];
  execFileSync('git', [...who, ...args], { cwd: dir, stdio: 'ignore' });
}

function commit(file: string, content: string | Buffer, message: string): void {
  writeFileSync(join(dir, file), content);
  git('add', file);
  git('commit', '--quiet', `--message=${message}`);
}

it('puts in what each accepted turn of the run changed, from its branch, and nothing of others', () => {
  git('init', '--quiet', '--initial-branch=main');
  commit('a.txt', 'one\n', 'begin');
  git('checkout', '--quiet', '-b', 'patchbay/run-0');
  commit('a.txt', 'two\n', 'Earlier\n\nRun: run-0\nTurn: build.developer, attempt 1');
  git('checkout', '--quiet', '-b', 'patchbay/run-1');
  commit('a.txt', 'three\n', 'Mine\n\nRun: run-1\nTurn: build.developer, attempt 2');
  commit('b.bin', Buffer.from([0, 1, 0, 255]), 'A file of bytes\n\nRun: run-1\nTurn: ship.closer, attempt 1');
  git('checkout', '--quiet', 'main');
  report({ include_file_diffs: true });
  const { file_diffs } = JSON.parse(readFileSync(join(dir, '.agentxchain/reports/run-1.json'), 'utf8'));
  expect(file_diffs).toMatchObject([
    { turn_id: 'build.developer', attempt: 2, role: 'developer', patch: expect.stringMatching(/-two\n\+three/) },
    { turn_id: 'ship.closer', attempt: 1, patch: expect.stringMatching(/^diff --git a\/b\.bin.*Binary files/s) },
  ]);
});

it('says null where nothing can be told of what was changed', () => {
  report({ include_file_diffs: true });
  expect(JSON.parse(readFileSync(join(dir, '.agentxchain/reports/run-1.json'), 'utf8'))).toMatchObject({
    file_diffs: null,
  });
});

it('writes nowhere else, whatever the run is called', () => {
  report({ output_dir: 'out' }, { run_id: '../../../etc/evil' });
  expect(readdirSync(join(dir, 'out'))).toEqual(['__.._.._etc_evil.json']);
});
