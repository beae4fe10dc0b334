import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { git, Stage } from '../../../../test/flows/stage.ts';
import { isSettled } from '../../src/ledger/index.ts';
import { loadRun, requestRun } from '../../src/runs/load.ts';
import { Runs } from '../../src/runs/runs.ts';
import { failing, Pretend, result, stage, story, templateOf } from './fixture.ts';

/** The runs of a ledger, carried out by a workshop, with one that was asked for. */
async function begun(workshop: Pretend, template = templateOf({ a: ['x'] })) {
  const { parts, ledger } = await stage(workshop);
  const runs = new Runs({ ...parts, approvers: () => ({}), cores: [{ name: 'test' }], coreOf: () => 'test' });
  await requestRun(ledger, { run_id: 'run-1', template, goal: 'Make it work', by: 'ada' });
  return { runs, ledger };
}

describe('A run that the process ends which carries it on', () => {
  it('has its turn stopped at once, and is aborted exactly once', async () => {
    const working = Promise.withResolvers<void>();
    const workshop = new Pretend(async (_, signal) => {
      working.resolve();
      await once(signal, 'abort');
      return failing('stopped');
    });
    const { runs, ledger } = await begun(workshop);
    const running = runs.advance('run-1');
    await working.promise;
    await runs.abort('run-1', 'ada', 'not needed');
    expect(await running).toMatchObject({ status: 'aborted', reason: 'ada: not needed' });
    expect(await story(ledger)).toEqual(['run:started', 'turn:dispatched a.x#1', 'run:aborted']);
    await expect(runs.abort('run-1', 'ada', 'again')).rejects.toMatchObject({ code: 'RUN_TRANSITION' });
  });

  it('is aborted once if two want it at the same moment', async () => {
    const working = Promise.withResolvers<void>();
    const workshop = new Pretend(async (_, signal) => {
      working.resolve();
      await once(signal, 'abort');
      return failing('stopped');
    });
    const { runs, ledger } = await begun(workshop);
    const running = runs.advance('run-1');
    await working.promise;
    const ends = await Promise.allSettled(['ada', 'bob'].map((by) => runs.abort('run-1', by, 'enough')));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await running;
    expect((await story(ledger)).filter((step) => step === 'run:aborted')).toHaveLength(1);
  });

  it.each([1, 2, 3, 5, 8, 13])('ends with one last step, whenever that is: after %i steps', async (steps) => {
    const roles = Array.from({ length: 6 }, (_, i) => `r${i}`);
    const { runs, ledger } = await begun(new Pretend(() => result()), templateOf({ a: roles, b: [roles] }));
    let seen = 0;
    const reached = new Promise<void>((resolve) => {
      ledger.on('appended', () => ++seen === steps && resolve());
    });
    const running = runs.advance('run-1');
    await reached;
    await runs.abort('run-1', 'ada', 'enough');
    expect((await running).status).toBe('aborted');
    const told = await story(ledger);
    expect(told.at(-1)).toBe('run:aborted');
    expect(told.filter((step) => /^run:(?:aborted|held|completed|failed)/.test(step))).toHaveLength(1);
    const { state } = await loadRun(ledger, 'run-1');
    expect(isSettled(state?.status ?? 'pending')).toBe(true);
  });

  it('leaves nothing of the program that played the role, nor of its workspace', async () => {
    const stage = new Stage('endless');
    stage.write('sources/.keep', '');
    const { service } = await stage.start();
    const run_id = await service.runs.request({ template: stage.template(), goal: 'x', by: 'pat' });
    const running = service.runs.advance(run_id);
    await vi.waitFor(() => expect(existsSync(stage.file('sources/working'))).toBe(true), { timeout: 60_000 });
    await service.runs.abort(run_id, 'pat', 'not needed');
    expect((await running).status).toBe('aborted');
    expect(git(stage.dir, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(stage.events.map(({ type }) => type)).toEqual(['run:started', 'turn:dispatched', 'run:aborted']);
  });

  it('is carried on once, however many ask for it', async () => {
    const workshop = new Pretend(() => result());
    const { runs } = await begun(workshop, templateOf({ a: ['x', 'y'] }));
    const [one, other] = await Promise.all([runs.advance('run-1'), runs.advance('run-1')]);
    expect([one.status, other.status, workshop.worked]).toEqual(['completed', 'completed', ['a.x#1', 'a.y#1']]);
  });
});
