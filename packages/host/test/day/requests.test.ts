import { describe, expect, it } from 'vitest';
import { DayStage } from '../../../../test/flows/day-stage.ts';
import { git } from '../../../../test/flows/stage.ts';
import { dayRuns, spendByDay } from '../../src/day/index.ts';

const settings = (text: string) => ({ files: { 'pace/pace.config.yaml': text } });
const held = { status: 'held' };

describe('Asking for a day', () => {
  it('of the plan begins with the first, and goes on with the next on top of it', async () => {
    const stage = new DayStage('day-retried');
    const { service } = await stage.start();
    const first = await stage.day(service);
    expect(first).toMatchObject({ goal: 'Pages of ten', inputs: { day: 1, target: 'Pages of ten' } });
    const next = await stage.day(service);
    expect(next).toMatchObject({ goal: 'Pages of any size', inputs: { day: 2 }, builds_on: first.run_id });
    const log = git(stage.dir, 'log', '--format=%B', `patchbay/${next.run_id}`);
    expect(log).toContain(`Run: ${first.run_id}`);
    expect(await stage.ask(service)).toEqual({ kind: 'none', days: 2 });
  });

  it('that is shipped does nothing, and tells when it was', async () => {
    const stage = new DayStage('day-shipped');
    const { service } = await stage.start();
    const { run_id } = await stage.day(service);
    const before = stage.events.length;
    expect(await stage.ask(service, 1)).toEqual({ kind: 'shipped', day: 1, run_id, at: expect.stringMatching(/^20/) });
    await service.rest();
    expect(stage.events).toHaveLength(before);
  });

  it('that is under way does not begin it twice, however many ask at once', async () => {
    const stage = new DayStage('day-shipped');
    const { service } = await stage.start();
    const answers = await Promise.all([stage.ask(service), stage.ask(service, 1), stage.ask(service)]);
    expect(answers.map(({ kind }) => kind)).toEqual(['begun', 'under-way', 'under-way']);
    expect(new Set(answers.map((answer) => 'run_id' in answer && answer.run_id)).size).toBe(1);
    expect(await dayRuns(service.ledger)).toHaveLength(1);
  });

  it('under the id of a run that there is answers with that, however it stands', async () => {
    const stage = new DayStage('day-shipped');
    const { service } = await stage.start();
    const ask = () => stage.ask(service, 'next', 'run-of-a-request');
    expect(await ask()).toMatchObject({ kind: 'begun', day: 1, run_id: 'run-of-a-request' });
    expect(await ask()).toMatchObject({ kind: 'under-way', day: 1 });
    await stage.advance(service, 'run-of-a-request');
    expect(await ask()).toMatchObject({ kind: 'shipped', day: 1, run_id: 'run-of-a-request' });
  });

  it('is refused while another is held, until that is released', async () => {
    const stage = new DayStage('day-held');
    const { service } = await stage.start();
    const { run_id } = await stage.day(service);
    for (const day of [1, 2, 'next'] as const) {
      await expect(stage.ask(service, day)).rejects.toMatchObject({
        code: 'DAY_HELD',
        message: `day 1 is held (${run_id}): no day is begun until it is released`,
        hint: expect.stringContaining(`patchbay resume ${run_id}`),
      });
    }
    const released = await service.runs.release(run_id, 'pat');
    expect(await stage.ask(service)).toMatchObject({ kind: 'under-way', run_id: released });
    await expect(service.runs.release(run_id, 'pat')).rejects.toMatchObject({ code: 'RUN_TRANSITION' });
  });

  it('is possible again when the held one is given up', async () => {
    const stage = new DayStage('day-held');
    const { service } = await stage.start();
    const { run_id } = await stage.day(service);
    const ended = await service.runs.abort(run_id, 'pat', 'not worth it');
    expect(await service.ledger.run(ended)).toMatchObject({ status: 'aborted', request: { resumes: run_id } });
    expect(await service.ledger.run(run_id)).toMatchObject(held);
    expect(await stage.ask(service, 2)).toMatchObject({ kind: 'begun', day: 2 });
  });

  it('that is not in the plan tells which are', async () => {
    const stage = new DayStage('day-shipped');
    const { service } = await stage.start();
    await expect(stage.ask(service, 7)).rejects.toMatchObject({
      code: 'DAY_UNKNOWN',
      message: expect.stringContaining('there are 1, 2'),
    });
  });
});

describe('A day that was held', () => {
  it('goes on where it was, with its story, and tells FORGE why it was held', async () => {
    const stage = new DayStage('day-held');
    const { service } = await stage.start();
    const first = await stage.day(service);
    const state = await stage.advance(service, await service.runs.release(first.run_id, 'pat'));
    expect(state).toMatchObject({ status: 'held', inputs: { day: 1 }, resumes: first.run_id });
    const dir = `.patchbay/runs/${state.run_id}/turns/build.forge-1/bundle`;
    expect(JSON.parse(stage.read(`${dir}/story.json`) ?? '')).toMatchObject({ title: 'Paging' });
    expect(JSON.parse(stage.read(`${dir}/turn.json`) ?? '')).toMatchObject({ hold_reason: 'pages begin with 0' });
  });
});

describe('What people commit while a day is held', () => {
  it('is what it goes on with, if nothing else was accepted by then', async () => {
    const stage = new DayStage('day-held');
    const { service } = await stage.start();
    const { run_id } = await stage.day(service);
    stage.write('src/a.txt', 'mended\n');
    stage.commit();
    const state = await stage.advance(service, await service.runs.release(run_id, 'pat'));
    expect(stage.result(state, 'src/a.txt')).toBe('mended');
  });
});

describe('The settings of a project', () => {
  it('say how often FORGE may try', async () => {
    const stage = new DayStage('day-held', settings('attempts: 1\n'));
    const { service } = await stage.start();
    const { turns, status } = await stage.day(service);
    expect([status, turns.find(({ role }) => role === 'forge')?.attempt]).toEqual(['held', 1]);
  });

  it('have people decide before anything is built, and before it is shipped', async () => {
    const stage = new DayStage('day-shipped', settings('gates: { story: human, ship: human }\n'));
    const { service } = await stage.start();
    let state = await stage.day(service);
    const waits: string[] = [];
    while (state.status === 'waiting') {
      waits.push(state.gate?.name ?? '');
      await service.runs.vote(state.run_id, { by: 'ann', decision: 'approved', comment: null });
      state = await stage.advance(service, state.run_id);
    }
    expect([waits, state.status]).toEqual([['story', 'ship'], 'completed']);
  });

  it('name only gates that there are', async () => {
    const stage = new DayStage('day-shipped', settings('gates: { shop: human }\n'));
    const { service } = await stage.start();
    await expect(stage.ask(service)).rejects.toMatchObject({ code: 'PROJECT_INVALID', field: 'gates.shop' });
  });

  it('stop a day at what it may cost, and begin none when all is spent', async () => {
    const stage = new DayStage('day-shipped', settings('cost: { day_usd: 0.25, total_usd: 0.4 }\n'));
    const { service } = await stage.start();
    const first = await stage.day(service);
    expect(first).toMatchObject({ status: 'held', reason: expect.stringContaining('0.25 USD') });
    await service.runs.abort(first.run_id, 'pat', 'too dear');
    const second = await stage.day(service);
    // What is left of the total is less than what a day may cost.
    expect(second.template.limits.usd).toBeCloseTo(0.15);
    expect(second.status).toBe('held');
    await service.runs.abort(second.run_id, 'pat', 'too dear');
    await expect(stage.ask(service)).rejects.toMatchObject({
      code: 'BUDGET_SPENT',
      message: 'the total of 0.4 USD is spent: 0.5 USD (day 1: 0.5 USD)',
    });
    expect(await spendByDay(service.ledger, await dayRuns(service.ledger))).toEqual([{ day: 1, usd: 0.5 }]);
  });
});

describe('What a story defers', () => {
  it('is told to PRIME on the next day, until a story takes it up', async () => {
    const stage = new DayStage('day-shipped');
    const { service } = await stage.start();
    await stage.day(service);
    const { kind, ...rest } = await stage.ask(service);
    expect(kind).toBe('begun');
    const row = await service.ledger.run('run_id' in rest ? rest.run_id : '');
    expect(row?.request).toMatchObject({ inputs: { day: 2, deferred: ['pages of any size'] } });
  });
});
