import { spawnSync } from 'node:child_process';
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
  const env = { AGENTXCHAIN_PAYLOAD_FILE: join(dir, 'payload'), AGENTXCHAIN_PLUGIN_CONFIG: join(dir, 'config') };
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

it('writes nowhere else, whatever the run is called', () => {
  report({ output_dir: 'out' }, { run_id: '../../../etc/evil' });
  expect(readdirSync(join(dir, 'out'))).toEqual(['__.._.._etc_evil.json']);
});
