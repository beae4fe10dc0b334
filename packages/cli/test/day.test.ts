import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DayStage } from '../../../test/flows/day-stage.ts';
import { folder } from '../../../test/project.ts';
import { expectError, patchbay } from './command.ts';
import { call, json } from './run-fixture.ts';

interface Told {
  readonly run_id: string;
  readonly status?: string;
  readonly state?: string;
  readonly day: number;
  readonly day_decision?: string;
}

describe('The starter project for days', () => {
  it('ships its first day at once, and holds one with a planted defect until that is mended', () => {
    const cwd = folder();
    expect(patchbay(['init', '--template', 'pace'], { cwd }).status).toBe(0);
    const first = patchbay(['run', '--day', 'next', '--json'], { cwd });
    expect(JSON.parse(first.stdout)).toMatchObject({ status: 'completed', day: 1, day_decision: 'SHIP' });
    expect(readFileSync(join(cwd, 'CHANGES.md'), 'utf8')).toContain('- Day 1: Greet somebody by name');
    expect(readFileSync(join(cwd, '.pace/day-1/gate.yaml'), 'utf8')).toContain('gate_decision: SHIP');

    const agent = join(cwd, 'agents/forge.mjs');
    const good = readFileSync(agent, 'utf8');
    writeFileSync(agent, good.replace("'Goodbye, ' + name", "'Go, ' + name"));
    const second = patchbay(['run', '--day', 'next', '--json'], { cwd });
    expect(second.status).toBe(4);
    const { run_id, ...held } = JSON.parse(second.stdout) as Told & { reason: string };
    expect(held).toMatchObject({ status: 'held', day: 2, day_decision: 'HOLD' });
    expect(held.reason).toContain('not met: says goodbye to a person by name');

    expectError(patchbay(['run', '--day', 'next'], { cwd }), 4, 'DAY_HELD', new RegExp(`patchbay resume ${run_id}`));
    writeFileSync(agent, good);
    const released = patchbay(['resume', run_id, '--json'], { cwd });
    expect(JSON.parse(released.stdout)).toMatchObject({ status: 'completed', day: 2, day_decision: 'SHIP' });
  });
});

describe('patchbay run --day', () => {
  it('does a shipped day once, and says when it was', () => {
    const stage = new DayStage('day-retried');
    const { run_id } = json<Told>(stage, 0, 'run', '--day', '1');
    const again = json<Told>(stage, 0, 'run', '--day', '1');
    expect(again).toEqual({ day: 1, state: 'shipped', run_id, shipped_at: expect.stringMatching(/^20/) });
    json(stage, 0, 'run', '--day', 'next');
    expect(call(stage, 'run', '--day', 'next')).toMatchObject({
      status: 0,
      stdout: 'All 2 days of the plan are shipped.\n',
    });
    expect(call(stage, 'status').stdout).toMatch(/day 1 {2}shipped {2}0 USD\nday 2 {2}shipped {2}0 USD\n$/);
  });

  it('only writes down what is wanted with --detach, and begins no day twice', () => {
    const stage = new DayStage('day-shipped');
    const { run_id, status } = json<Told>(stage, 0, 'run', '--day', 'next', '--detach');
    expect(status).toBe('pending');
    expect(json<Told>(stage, 0, 'run', '--day', '1', '--detach')).toEqual({ day: 1, state: 'under-way', run_id });
    expect(call(stage, 'run', '--day', 'next').stdout).toContain(`Day 1 is under way as ${run_id}`);
  });

  it('is possible again when a held day is given up', () => {
    const stage = new DayStage('day-held');
    const { run_id } = json<Told>(stage, 4, 'run', '--day', '1');
    expect(json<Told>(stage, 0, 'abort', run_id)).toMatchObject({ status: 'aborted', day: 1 });
    expect(json<Told>(stage, 4, 'run', '--day', '2')).toMatchObject({ status: 'held', day: 2 });
  });

  it.each([
    [['--day', '0'], 'USAGE', /--day 0/],
    [['--day', 'tomorrow'], 'USAGE', /--day tomorrow/],
    [['--day', '1', '--input', 'x'], 'USAGE', /--input cannot go with --day/],
    [['--day', '7'], 'DAY_UNKNOWN', /there are 1, 2/],
  ])('refuses %j', (args, code, message) => {
    expectError(call(new DayStage('day-shipped'), 'run', ...args), 2, code, message);
  });

  it('tells what is wrong with the plan, line by line', () => {
    const stage = new DayStage('day-shipped', { repository: false });
    stage.write('plan.yaml', 'days:\n  - { day: 0, target: x }\n  - {}\n');
    expectError(call(stage, 'run', '--day', 'next'), 2, 'PLAN_INVALID', /line 2, days\[0\]\.day.*line 3, days\[1\]/);
  });
});

describe('patchbay advisories', () => {
  it('lists what was recorded, and clears it with a reason', () => {
    const stage = new DayStage('day-advisory');
    expect(call(stage, 'advisories').stdout).toBe('No advisories.\n');
    json(stage, 0, 'run', '--day', 'next');
    const [item] = json<{ id: string }[]>(stage, 0, 'advisories', '--day', '1');
    expect(item).toMatchObject({ by: 'sentinel', days: [1], state: 'open' });
    expect(json<unknown[]>(stage, 0, 'advisories', '--day', '2')).toEqual([]);
    const id = item?.id ?? '';
    expectError(call(stage, 'advisories', 'clear', id), 2, 'USAGE', /--reason/);
    expect(json(stage, 0, 'advisories', 'clear', id, '--by', 'ann', '--reason', 'on purpose')).toMatchObject({
      state: 'cleared',
      cleared: { by: 'ann', reason: 'on purpose' },
    });
    expect(call(stage, 'advisories').stdout).toMatch(new RegExp(`^${id} +cleared +sentinel +day 1 .*on purpose`, 'm'));
    expectError(
      call(stage, 'advisories', 'clear', 'adv-x', '--reason', 'x'),
      2,
      'ADVISORY_UNKNOWN',
      /there is no advisory adv-x/,
    );
  });
});
