import { describe, expect, it } from 'vitest';
import { goldenOf } from '../../../../test/flows/golden.ts';
import { Stage } from '../../../../test/flows/stage.ts';
import { Runs } from '../../src/runs/runs.ts';
import { failing, Pretend, result, stage, templateOf } from './fixture.ts';

const decisions = [{ id: 'DEC-1', category: 'design', statement: 'Count from one', rationale: 'people do' }];

describe('A run that begins anew what was held', () => {
  it('knows what was decided, objected to and changed before, in its bundles too', async () => {
    const stage = new Stage('released');
    const { service } = await stage.start();
    const held = await stage.run(service);
    expect(held).toMatchObject({ status: 'held', phase: 'building', cost: { usd: 1 } });
    stage.write('sources/ready', 'It is bad');

    const again = await stage.advance(service, await service.runs.release(held.run_id, 'pat'));
    // The reviewer has let the work pass that it had rejected; what the planner had against it stands.
    expect(again).toMatchObject({
      status: 'held',
      reason: 'gate "ship" does not hold: objections are open: OBJ-1 It may be slow',
    });

    stage.write('sources/ready', '[]');
    const last = await stage.advance(service, await service.runs.release(again.run_id, 'pat', ['OBJ-1']));
    expect(last).toMatchObject({
      status: 'waiting',
      decisions,
      files: ['PLAN.md', 'src/a.txt'],
      // Its budget is its own.
      cost: { usd: 0.5 },
    });
    expect(last.objections).toEqual([]);
    const [begun] = stage.events.filter(({ run_id, type }) => run_id === last.run_id && type === 'run:started');
    expect(begun?.payload).toMatchObject({ config_summary: { started_by: 'pat', overruled: ['OBJ-1'] } });
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
  });

  it('is refused for an objection that is not open', async () => {
    const { parts, run } = await stage(new Pretend(() => failing('no')));
    await run(templateOf({ a: ['x'] }, { limits: { attempts: 1 } }));
    const runs = new Runs({ ...parts, approvers: () => ({}), cores: [{ name: 'test' }], coreOf: () => 'test' });
    await expect(runs.release('run-1', 'pat', ['OBJ-9'])).rejects.toMatchObject({
      code: 'RUN_REFUSED',
      message: expect.stringContaining('no open objection OBJ-9'),
    });
  });

  it('keeps an objection against work of a phase that is done, and drops that against work it does again', async () => {
    let times = 0;
    const workshop = new Pretend(({ phase, reviews }) => {
      const objection = (id: string) => [{ id, severity: 'high', statement: `${id} stands` }];
      if (reviews !== null) {
        times += 1;
        return times === 1
          ? result({ status: 'rejected', objections: objection('OBJ-3') })
          : result({ status: 'approved' });
      }
      return result(phase === 'a' ? { objections: objection('OBJ-1'), decisions } : {});
    });
    const { parts, run, ledger } = await stage(workshop);
    const template = templateOf({ a: ['x'], b: ['y'] }, { limits: { attempts: 1 } });
    const [, second] = template.phases;
    const judged = second?.steps.map((group) => group.map((step) => ({ ...step, reviewers: ['x'] }))) ?? [];
    const phases = template.phases.map((phase) => (phase === second ? { ...phase, steps: judged } : phase));
    expect((await run({ ...template, phases })).status).toBe('held');
    const runs = new Runs({ ...parts, approvers: () => ({}), cores: [{ name: 'test' }], coreOf: () => 'test' });
    const next = await runs.advance(await runs.release('run-1', 'pat'));
    expect(next.status).toBe('completed');
    expect(next.objections.map(({ id, open }) => [id, open])).toEqual([
      ['OBJ-1', true],
      ['OBJ-3', false],
    ]);
    const told = [];
    for await (const { payload } of ledger.events({ run: next.run_id, type: 'run:completed' })) told.push(payload);
    expect(told).toMatchObject([{ decisions, objections: [{ id: 'OBJ-1' }, { id: 'OBJ-3' }] }]);
  });
});
