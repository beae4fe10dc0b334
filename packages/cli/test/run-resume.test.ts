import { describe, expect, it } from 'vitest';
import { Stage } from '../../../test/flows/stage.ts';
import { expectJsonError } from './command.ts';
import { appears, begin, call, json, type RunJson, start, typesOf } from './run-fixture.ts';

describe('resume', () => {
  it('begins a run that was only asked for', () => {
    const stage = new Stage('rejection');
    const wanted = begin(stage, 0, '--detach');
    expect(wanted).toMatchObject({ template: 'flow', status: 'pending', turns: [], gates: [] });
    expect(json(stage, 0, 'status', wanted.run_id)).toEqual(wanted);
    expect(json<RunJson[]>(stage, 0, 'resume')).toMatchObject([{ run_id: wanted.run_id, status: 'completed' }]);
    expect(call(stage, 'resume').stdout).toBe('No run is open.\n');
  });

  it('without a name carries on all that are open, and exits as the worst of them does', () => {
    const stage = new Stage('straight');
    const ids = [begin(stage, 0, '--detach'), begin(stage, 0, '--detach')].map(({ run_id }) => run_id);
    const runs = json<RunJson[]>(stage, 3, 'resume');
    expect(runs.map(({ run_id, status }) => [run_id, status])).toEqual(ids.map((id) => [id, 'waiting']));
    json(stage, 0, 'approve', ids[0] ?? '');
    expect(json<RunJson[]>(stage, 3, 'resume')).toMatchObject([{ run_id: ids[1], status: 'waiting' }]);
  });

  it('begins a run anew that was held, as another one', () => {
    const stage = new Stage('exhausted');
    const { run_id } = begin(stage, 4);
    const next = json(stage, 4, 'resume', run_id);
    expect(next.run_id).not.toBe(run_id);
    const [line = ''] = call(stage, 'events', '--type', 'run:started', '--run', next.run_id, '--json').stdout.split(
      '\n',
    );
    expect(JSON.parse(line)).toMatchObject({ payload: { resumes: run_id } });
    expect(json(stage, 0, 'status', run_id)).toMatchObject({ status: 'held' });
  });

  it('leaves a run as it is that is completed, or waits', () => {
    const done = new Stage('rejection');
    const run = begin(done, 0);
    const types = typesOf(done);
    expect(json(done, 0, 'resume', run.run_id)).toEqual(run);
    expect(typesOf(done)).toEqual(types);
    const stage = new Stage('straight');
    const waiting = begin(stage, 3);
    expect(json(stage, 3, 'resume', waiting.run_id)).toEqual(waiting);
  });
});

describe('A template that is edited during a run', () => {
  it('does not change the run', () => {
    const stage = new Stage('straight');
    const { run_id } = begin(stage, 3);
    stage.write('patchbay/templates/flow.yaml', 'no template any more');
    expect(json(stage, 0, 'approve', run_id)).toMatchObject({ status: 'completed' });
  });
});

describe('A run that is interrupted', () => {
  const interrupted = async (stage: Stage, goal: string) => {
    const { child, ended } = start(stage, 'run', '--template', 'flow', '--input', goal, '--json');
    await appears(stage, 'sources/working');
    child.kill('SIGINT');
    expect((await ended).status).toBe(130);
    const [run] = json<RunJson[]>(stage, 0, 'status');
    expect(run).toMatchObject({ status: 'active' });
    return run?.run_id ?? '';
  };

  it('does not have its agent work again when its result was there', async () => {
    const stage = new Stage('interrupted');
    const run_id = await interrupted(stage, 'Hand in first');
    expect(json(stage, 0, 'resume', run_id)).toMatchObject({ run_id, status: 'completed' });
    expect(stage.read('sources/calls')).toBe('building.developer#1\n');
  });

  it('has its agent work again, in the same attempt, when there was none', async () => {
    const stage = new Stage('interrupted');
    const run_id = await interrupted(stage, 'Hand in last');
    stage.write('sources/go', '');
    expect(json(stage, 0, 'resume', run_id)).toMatchObject({ status: 'completed', turns: [{ attempt: 1 }] });
    expect(stage.read('sources/calls')).toBe('building.developer#1\nbuilding.developer#1\n');
    expect(typesOf(stage, '--run', run_id).filter((type) => type.startsWith('turn:'))).toEqual([
      'turn:dispatched',
      'turn:submitted',
      'turn:accepted',
    ]);
  });
});

describe('While another host is at work in the project', () => {
  const atWork = async (stage: Stage) => {
    const under = start(stage, 'run', '--template', 'flow', '--input', 'Hand in last', '--json');
    await appears(stage, 'sources/working');
    return under;
  };

  it('a run is told who it is, and status shows what it does', async () => {
    const stage = new Stage('interrupted');
    const { child, ended } = await atWork(stage);
    const second = call(stage, 'run', '--template', 'flow', '--input', 'x', '--json');
    expectJsonError(second, 1, 'PROJECT_HELD', new RegExp(`process ${child.pid} is the host`));
    expect(json<RunJson[]>(stage, 0, 'status')).toMatchObject([{ status: 'active' }]);
    stage.write('sources/go', '');
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
  });

  it('its run can be aborted: the turn under way is stopped, and the host ends', async () => {
    const stage = new Stage('interrupted');
    const { ended } = await atWork(stage);
    const [{ run_id = '' } = {}] = json<RunJson[]>(stage, 0, 'status');
    const { stdout, stderr, status } = call(stage, 'abort', run_id, '--reason', 'not needed', '--by', 'ann', '--json');
    expect([status, stderr, JSON.parse(stdout)]).toMatchObject([
      0,
      '',
      { run_id, status: 'aborted', reason: 'ann: not needed' },
    ]);
    expect(JSON.parse((await ended).stdout)).toMatchObject({ run_id, status: 'aborted' });
  });

  it('a run can be asked for with --detach', async () => {
    const stage = new Stage('interrupted');
    const { ended } = await atWork(stage);
    const wanted = begin(stage, 0, '--detach');
    stage.write('sources/go', '');
    expect((await ended).status).toBe(0);
    expect(json(stage, 0, 'resume', wanted.run_id)).toMatchObject({ status: 'completed' });
  });
});
