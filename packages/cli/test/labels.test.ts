import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { Stage } from '../../../test/flows/stage.ts';
import { expectError, patchbay } from './command.ts';
import { call, json, type RunJson, start } from './run-fixture.ts';

const waits = 'role "planner" waits for a host with label gpu';
const project = { 'patchbay.yaml': 'runs:\n  roles:\n    planner: { runs-on: [gpu] }\n' };
const begun = ['run', '--template', 'flow', '--input', 'Make it work'];

async function serve(stage: Stage, ...args: string[]) {
  const under = start(stage, 'serve', '--port', '0', '--webhook-port', '0', ...args);
  let said = '';
  under.child.stderr?.on('data', (chunk: string) => {
    said += chunk;
  });
  await new Promise((resolve) => under.child.stdout?.once('data', resolve));
  const stop = async () => {
    under.child.kill('SIGTERM');
    await under.ended;
  };
  return { stop, said: () => said };
}

const only = (stage: Stage) => json<RunJson[]>(stage, 0, 'status')[0]?.run_id ?? '';

describe('a role that runs on a host with a label', { timeout: 180_000 }, () => {
  it('is not played by a command that lacks it, and by one that has it of its environment', () => {
    const stage = new Stage('straight', { files: project });
    const told = call(stage, ...begun);
    expect([told.status, told.stdout]).toEqual([1, '']);
    expect(told.stderr).toContain(`error HOST_LABELS: ${waits}; Start a host that has them`);
    const run_id = only(stage);
    expect(json(stage, 0, 'status', run_id)).toMatchObject({ status: 'active', turns: [] });
    const env = { PATCHBAY_LABELS: ' linux, gpu ' };
    const resumed = patchbay(['resume', run_id, '--json'], { cwd: stage.dir, env });
    expect([resumed.status, JSON.parse(resumed.stdout)]).toMatchObject([3, { status: 'waiting' }]);
  });

  it('waits for a host that has it, and status says so; it goes on with one that was given it', async () => {
    const stage = new Stage('straight', { files: project });
    const first = await serve(stage, '--label', 'cpu');
    const told = call(stage, ...begun);
    expect(told.stderr).toContain(`error HOST_LABELS: ${waits}`);
    const run_id = only(stage);
    expect(call(stage, 'status', run_id).stdout).toContain(`The host cannot carry it on: ${waits}.`);
    expect(json(stage, 0, 'status', run_id)).toMatchObject({ trouble: { code: 'HOST_LABELS', next_at: null } });
    await eventually(() => expect(first.said()).toContain(`${run_id}: ${waits}\n`));
    await first.stop();
    await serve(stage, '--label', 'macos', '--label', 'gpu');
    await eventually(() => expect(json(stage, 0, 'status', run_id).status).toBe('waiting'));
    expect(call(stage, 'status', run_id).stdout).not.toContain(waits);
  });

  it('has a label that is one', () => {
    const stage = new Stage('straight', { files: project });
    expectError(call(stage, 'serve', '--label', 'a b'), 2, 'USAGE', /--label: "a b" must be a label/);
    const wrong = patchbay(['serve'], { cwd: stage.dir, env: { PATCHBAY_LABELS: 'gpu,ä' } });
    expectError(wrong, 2, 'USAGE', /PATCHBAY_LABELS: "ä" must be a label/);
  });
});
