import { describe, expect, it } from 'vitest';
import { measureLatency } from '../../src/kernel/index.ts';
import { never, Stage, tiers, turn } from './fixture.ts';

describe.each(tiers)('measuring how long handlers take (%s)', (tier) => {
  const counts = (latencies: ReturnType<ReturnType<typeof measureLatency>['latencies']>) =>
    latencies.map(({ plugin, hook, histogram }) => `${plugin} ${hook} ${histogram.count}`).toSorted();

  it('records one call in so many', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const hook = stage.hook('notify');
    const { latencies } = measureLatency(stage.kernel, { every: 8 });
    for (let i = 0; i < 7; i++) hook.call({});
    expect(counts(latencies())).toEqual([]);
    hook.call({});
    expect(counts(latencies())).toEqual(['a notify 1']);
    for (let i = 0; i < 72; i++) hook.call({});
    expect(counts(latencies())).toEqual(['a notify 10']);
    expect(stage.log).toHaveLength(80);
  });

  it('records one in 256 if not told otherwise', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const { latencies } = measureLatency(stage.kernel);
    const hook = stage.kernel.hook('notify');
    for (let i = 0; i < 256 * 4; i++) hook.call({});
    expect(counts(latencies())).toEqual(['a notify 4']);
  });

  it('has a histogram for each handler of each hook', () => {
    const stage = new Stage(tier);
    const handler = () => null;
    stage.put({
      name: 'a',
      handlers: [
        { hook: 'notify', handler },
        { hook: 'notify', handler },
        { hook: 'collect', handler },
      ],
    });
    stage.put({ name: 'b', handlers: [{ hook: 'collect', handler }] });
    const { latencies } = measureLatency(stage.kernel, { every: 1 });
    for (let i = 0; i < 3; i++) stage.kernel.hook('notify').call({});
    for (let i = 0; i < 5; i++) stage.kernel.hook('collect').callSync({});
    expect(counts(latencies())).toEqual(['a collect 5', 'a notify 3', 'a notify 3', 'b collect 5']);
    for (const { histogram } of latencies()) expect(histogram.min).toBeGreaterThan(0);
  });

  it('keeps handlers of different plugins apart that are called the same', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { id: 'main' });
    stage.speaker('b', 'notify', { id: 'main' });
    const { latencies } = measureLatency(stage.kernel, { every: 1 });
    stage.kernel.hook('notify').call({});
    expect(counts(latencies())).toEqual(['a notify 1', 'b notify 1']);
  });

  it('ends when it is stopped, and keeps what it has', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const { stop, latencies } = measureLatency(stage.kernel, { every: 1 });
    const hook = stage.kernel.hook('notify');
    hook.call({});
    stop();
    stop();
    hook.call({});
    expect(counts(latencies())).toEqual(['a notify 1']);
    expect(stage.log).toEqual(['a', 'a']);
  });

  it('records failing handlers, and async ones when they have ended', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<void>();
    stage.add('bad', 'notify', () => {
      throw new Error('no');
    });
    stage.add('waits', 'notify', () => gate.promise);
    const { latencies } = measureLatency(stage.kernel, { every: 1 });
    const result = stage.kernel.hook('notify').call({});
    await turn();
    expect(counts(latencies())).toEqual(['waits notify 0']);
    gate.resolve();
    await result;
    await turn();
    expect(counts(latencies())).toEqual(['bad notify 1', 'waits notify 1']);
  });

  it('records those whose deadline has passed', async () => {
    const stage = new Stage(tier);
    stage.add('slow', 'notify', never, { deadlineMs: 20 });
    const { latencies } = measureLatency(stage.kernel, { every: 1 });
    await stage.kernel.hook('notify').call({});
    await turn();
    expect(counts(latencies())).toEqual(['slow notify 1']);
  });

  it('does not change what a call gives, and can be done twice at once', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.add('b', 'collect', () => 2);
    const one = measureLatency(stage.kernel, { every: 1 });
    const two = measureLatency(stage.kernel, { every: 2 });
    const hook = stage.kernel.hook('collect');
    for (let i = 0; i < 4; i++) expect(hook.call({})).toEqual([2, 1]);
    one.stop();
    for (let i = 0; i < 4; i++) expect(hook.call({})).toEqual([2, 1]);
    expect(counts(one.latencies())).toEqual(['a collect 4', 'b collect 4']);
    expect(counts(two.latencies())).toEqual(['a collect 4', 'b collect 4']);
  });
});
