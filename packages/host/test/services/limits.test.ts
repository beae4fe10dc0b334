import { describe, expect, it } from 'vitest';
import { HourlyLimits } from '../../src/services/limits.ts';
import { Stage, toolPlugin } from './fixture.ts';

const minute = 60_000;
const ok = () => ({ result: 'done' });

describe('limits', () => {
  it('slide over any 60 minutes, over all tools first and then by tool', () => {
    let now = 0;
    const limits = new HourlyLimits(() => now);
    const most = { all: 3, tool: 2 };
    const take = (tool: string) => typeof limits.take(tool, most);
    expect([take('a'), take('a'), take('a')]).toEqual(['object', 'object', 'string']);
    now = 30 * minute;
    expect(limits.take('a', most)).toBe(
      'no more than 2 calls of tool "a" in 60 minutes; try again after 1970-01-01T01:00:00.000Z',
    );
    expect([take('b'), take('b')]).toEqual(['object', 'string']);
    expect(limits.take('c', most)).toContain('no more than 3 calls of tools in 60 minutes');
    now = 60 * minute;
    expect([take('a'), take('b'), take('c')]).toEqual(['object', 'object', 'string']);
    now = 90 * minute + 1;
    expect(take('c')).toBe('object');
  });

  it('do not count a call that was refused after all', () => {
    const limits = new HourlyLimits(() => 0);
    const room = limits.take('a', { all: 1, tool: null });
    expect(limits.take('a', { all: 1, tool: null })).toBeTypeOf('string');
    if (typeof room !== 'string') {
      room.giveBack();
      room.giveBack();
    }
    expect(limits.take('a', { all: 1, tool: null })).toBeTypeOf('object');
    expect(limits.take('a', { all: 1, tool: null })).toBeTypeOf('string');
  });
});

it('calls that policy refuses, that do not fit, or that no tool is for, use up nothing', async () => {
  const settings = { perHour: 1, tools: { off: { enabled: false } } };
  const picky = { handler: ok, description: '', inputSchema: { required: ['x'] } };
  const stage = await Stage.open({ plugins: [toolPlugin('p', { a: ok, off: ok, picky })], settings });
  const turn = stage.turn();
  for (const name of ['off', 'picky', 'nothing']) expect(await turn.call(name, {})).toHaveProperty('error');
  expect(await turn.call('a', {})).toEqual({ result: 'done' });
  expect(await turn.call('a', {})).toEqual({ error: expect.stringContaining('no more than 1 calls of tools') });
});

it('a call that waits for a person holds its room, and gives it back when it is refused', async () => {
  const settings = { perHour: 1, tools: { asked: { tier: 'human-approval' } } } as const;
  const stage = await Stage.open({ plugins: [toolPlugin('p', { a: ok, asked: ok })], settings });
  const turn = stage.turn();
  const called = turn.call('asked', {});
  const { approval_id } = await stage.waiting();
  expect(await turn.call('a', {})).toHaveProperty('error');
  await stage.services.decide(approval_id, { decision: 'refused', by: 'ann', comment: null });
  expect(await called).toEqual({ error: 'tool "asked" was not called: ann refused it' });
  expect(await turn.call('a', {})).toEqual({ result: 'done' });
});

it('a tool has its own limit, or that of each tool', async () => {
  const settings = { perToolPerHour: 1, tools: { b: { perHour: 2 } } };
  const stage = await Stage.open({ plugins: [toolPlugin('p', { a: ok, b: ok })], settings });
  const turn = stage.turn();
  const went = async (name: string) => 'result' in (await turn.call(name, {}));
  expect([await went('a'), await went('a')]).toEqual([true, false]);
  expect([await went('b'), await went('b'), await went('b')]).toEqual([true, true, false]);
});

it('what was called before a restart still counts, for an hour', async () => {
  let past = 0;
  const parts = { now: () => Date.now() + past };
  const stage = await Stage.open({ plugins: [toolPlugin('p', { a: ok })], settings: { perHour: 2 }, parts });
  for (let n = 0; n < 2; n++) await stage.turn().call('a', {});
  await stage.end();
  await stage.begin();
  expect(await stage.turn().call('a', {})).toHaveProperty('error');
  past = 61 * minute;
  expect(await stage.turn().call('a', {})).toEqual({ result: 'done' });
});
