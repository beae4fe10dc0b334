import { describe, expect, it } from 'vitest';
import { Stage } from '../../../test/flows/stage.ts';
import { expectError, expectJsonError } from './command.ts';
import { begin, call, json, start, typesOf } from './run-fixture.ts';

describe('approve', () => {
  it('lets a run through its gate while no host is at work, and carries it on', () => {
    const stage = new Stage('straight');
    const { run_id } = begin(stage, 3);
    const run = json(stage, 0, 'approve', run_id, '--by', 'ann', '--comment', 'Looks right');
    expect(run).toMatchObject({
      run_id,
      status: 'completed',
      gates: [
        { name: 'plan', state: 'open' },
        { name: 'building', state: 'open' },
      ],
    });
    const [line = ''] = call(stage, 'events', '--type', 'gate:transition', '--json').stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({ payload: { approver: 'ann', comment: 'Looks right' } });
  });

  it('does nothing to a run that has ended', () => {
    const stage = new Stage('straight');
    const { run_id } = begin(stage, 3);
    json(stage, 0, 'approve', run_id);
    const before = typesOf(stage);
    expectJsonError(call(stage, 'approve', run_id, '--json'), 2, 'APPROVAL_INVALID', /it is completed/);
    expectError(call(stage, 'refuse', run_id, '--reason', 'no'), 2, 'APPROVAL_INVALID', /it is completed/);
    expect(typesOf(stage)).toEqual(before);
  });

  it('is for those only whom the gate names', () => {
    const stage = new Stage('refused');
    const { run_id } = begin(stage, 3);
    expectJsonError(call(stage, 'approve', run_id, '--by', 'eve', '--json'), 2, 'APPROVAL_INVALID', /only by ann, bob/);
    expect(json(stage, 0, 'status', run_id)).toMatchObject({ status: 'waiting' });
  });

  it('twice at once takes effect once; the other one is told', async () => {
    const stage = new Stage('straight');
    const { run_id } = begin(stage, 3);
    const both = ['ann', 'bob'].map((by) => start(stage, 'approve', run_id, '--by', by, '--json').ended);
    const ends = (await Promise.all(both)).map(({ stdout }) => JSON.parse(stdout) as { error?: { code: string } });
    const [told] = ends.filter(({ error }) => error !== undefined);
    const [heeded] = ends.filter(({ error }) => error === undefined);
    expect(['PROJECT_HELD', 'APPROVAL_INVALID', 'RUN_MOVED']).toContain(told?.error?.code);
    // Whoever decides beside the other one leaves it to that one to carry the run on.
    expect(heeded).toMatchObject({ run_id, status: expect.stringMatching(/^(?:completed|active|waiting)$/) });
    expect(json(stage, 0, 'status', run_id)).toMatchObject({ status: 'completed' });
    const types = typesOf(stage, '--run', run_id);
    expect(types.filter((type) => ['approval:decided', 'gate:transition', 'run:completed'].includes(type))).toEqual([
      'approval:decided',
      'gate:transition',
      'run:completed',
    ]);
  });
});

describe('refuse', () => {
  it('holds the run, and says who and why', () => {
    const stage = new Stage('refused');
    const { run_id } = begin(stage, 3);
    expect(json(stage, 4, 'refuse', run_id, '--by', 'bob', '--reason', 'Too vague')).toMatchObject({
      status: 'held',
      reason: 'bob refused gate "plan": Too vague',
      gates: [{ name: 'plan', state: 'refused' }],
    });
  });

  it('wants a reason', () => {
    const stage = new Stage('refused');
    const { run_id } = begin(stage, 3);
    expectError(call(stage, 'refuse', run_id), 2, 'USAGE', /say with --reason why/);
    expect(json(stage, 0, 'status', run_id)).toMatchObject({ status: 'waiting' });
  });
});
