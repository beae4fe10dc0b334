import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentCore, TurnWork } from 'patchbay-sdk';
import { expect, it, onTestFinished } from 'vitest';
import { conduitCore, gateCore, sentinelCore } from '../index.ts';

/** Has a core work on a turn in a workspace of these files; gives its result. */
async function played(plugin: typeof gateCore, files: Record<string, string>, exit_code = 0) {
  const dir = mkdtempSync(join(tmpdir(), 'reviewers-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const folder of ['bundle', 'work']) mkdirSync(join(dir, folder));
  const result = {
    files_changed: Object.keys(files),
    verification: { status: 'pass', commands: ['npm test'], machine_evidence: [] },
  };
  writeFileSync(join(dir, 'bundle/turn.json'), JSON.stringify({ reviews: { result } }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'work', name), text);
  const provided = plugin.provides?.agentCore as () => AgentCore;
  const ended = { exit_code, signal: null, timed_out: false, stdout: '# tests 1\n# pass 1\n', stderr: '' };
  const turn = {
    reviews: 'turn-1',
    bundle: join(dir, 'bundle'),
    workspace: join(dir, 'work'),
    result_file: join(dir, 'result.json'),
    config: {},
    exec: async () => ended,
  };
  await provided().run?.(turn as unknown as TurnWork);
  return JSON.parse(readFileSync(turn.result_file, 'utf8')) as {
    status: string;
    summary: string;
    objections: object[];
    artifact: string;
  };
}

const clean = { 'index.js': 'export const one = 1;\n' };

it('gate rejects what does not pass its commands, with what failed', async () => {
  const { status, objections, artifact } = await played(gateCore, clean, 1);
  expect(status).toBe('rejected');
  expect(objections).not.toEqual([]);
  expect(JSON.parse(artifact)).toMatchObject({ gate_decision: 'HOLD' });
});

it('sentinel rejects a secret and approves clean code', async () => {
  const token = ['ghp', 'x7Kq2mZr9LwT4vBn8sYc3dPf6hJg1aQe5uXo'].join('_');
  expect(await played(sentinelCore, { 'config.js': `export const token = '${token}';\n` })).toMatchObject({
    status: 'rejected',
  });
  expect(await played(sentinelCore, clean)).toMatchObject({ status: 'approved' });
});

it('conduit approves a folder without CI', async () => {
  expect(await played(conduitCore, clean)).toMatchObject({ status: 'approved', summary: 'conduit: SHIP' });
});
