import { describe, expect, it } from 'vitest';
import { errorOf, never, Stage, type Tier, tiers, turn } from './fixture.ts';

type Mode = 'good' | 'bad' | 'later' | 'block';

/** A plugin on a stage with a clock of its own; it works or fails as it is told. */
function patient(tier: Tier, hook: 'collect' | 'closedCollect' = 'collect') {
  const clock = { now: 1000 };
  const breaker = { failures: 3, pauseMs: 100, maxPauseMs: 350, now: () => clock.now };
  const stage = new Stage(tier, { breaker });
  const at = { mode: 'bad' as Mode, calls: 0, gate: Promise.withResolvers<string>() };
  stage.add('p', hook, () => {
    at.calls++;
    if (at.mode === 'later') return at.gate.promise;
    if (at.mode === 'block') return { verdict: 'block' };
    if (at.mode === 'bad') throw new Error('bad');
    return 'good';
  });
  const fail = (times: number) => {
    at.mode = 'bad';
    for (let i = 0; i < times; i++) stage.sync('collect');
  };
  return { stage, clock, at, fail, trouble: () => stage.kernel.troubled()[0] };
}

describe.each(tiers)('a handler that keeps failing (%s)', (tier) => {
  it('is left alone after so many failures in a row', () => {
    const { stage, at, fail, trouble } = patient(tier);
    fail(3);
    expect(trouble()).toEqual({ plugin: 'p', hook: 'collect', handler: 'p#1', failures: 3, pausedUntil: 1100 });
    stage.call('collect', {}, { run: 'r1' });
    expect(at.calls).toBe(3);
    expect(stage.failures.at(-1)).toMatchObject({ code: 'HANDLER_PAUSED', plugin: 'p', hook: 'collect', run: 'r1' });
  });

  it('is called as long as there are fewer', () => {
    const { at, fail, trouble } = patient(tier);
    fail(2);
    expect(at.calls).toBe(2);
    expect(trouble()).toMatchObject({ failures: 2, pausedUntil: null });
  });

  it('begins anew when it has worked in between', () => {
    const { stage, at, fail, trouble } = patient(tier);
    for (let i = 0; i < 4; i++) {
      fail(2);
      at.mode = 'good';
      expect(stage.call('collect')).toEqual(['good']);
      expect(trouble()).toBeUndefined();
    }
    expect(at.calls).toBe(12);
  });

  it('begins anew when it has worked in between, later', async () => {
    const { stage, at, fail, trouble } = patient(tier);
    fail(2);
    at.mode = 'later';
    at.gate.resolve('good');
    expect(await stage.call('collect')).toEqual(['good']);
    expect(trouble()).toBeUndefined();
  });

  it('is tried again once when its pause is over, and is healthy if that works', () => {
    const { stage, clock, at, fail, trouble } = patient(tier);
    fail(3);
    at.mode = 'good';
    clock.now = 1099;
    expect(stage.call('collect')).toEqual([]);
    clock.now = 1100;
    expect(stage.call('collect')).toEqual(['good']);
    expect(trouble()).toBeUndefined();
    expect(stage.call('collect')).toEqual(['good']);
    fail(2);
    expect(trouble()).toMatchObject({ failures: 2, pausedUntil: null });
  });

  it('lets one call through, and no other while that one waits', async () => {
    const { stage, clock, at, fail } = patient(tier);
    fail(3);
    at.mode = 'later';
    clock.now = 1100;
    const probe = stage.call('collect');
    expect(at.calls).toBe(4);
    expect(stage.call('collect')).toEqual([]);
    expect(stage.sync('collect')).toEqual([]);
    expect(at.calls).toBe(4);
    at.gate.resolve('good');
    expect(await probe).toEqual(['good']);
    at.mode = 'good';
    expect(stage.call('collect')).toEqual(['good']);
  });

  it('is paused twice as long each time it fails again, up to a limit', () => {
    const { stage, clock, fail, at, trouble } = patient(tier);
    fail(3);
    const pauses: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      const until = trouble()?.pausedUntil ?? 0;
      pauses.push(until - clock.now);
      clock.now = until;
      stage.sync('collect');
    }
    expect(pauses).toEqual([100, 200, 350, 350]);
    expect(at.calls).toBe(7);
  });

  it('is paused as short as at first when it has worked in between', () => {
    const { stage, clock, fail, at, trouble } = patient(tier);
    fail(3);
    clock.now = 1100;
    stage.sync('collect');
    clock.now = 1300;
    at.mode = 'good';
    stage.sync('collect');
    fail(3);
    expect(trouble()?.pausedUntil).toBe(1400);
  });

  it('is not paused longer because calls that were under way fail too', async () => {
    const { stage, at, trouble } = patient(tier);
    at.mode = 'later';
    const calls = Array.from({ length: 10 }, () => stage.call('collect'));
    at.gate.reject(new Error('all at once'));
    await Promise.all(calls);
    expect(stage.told).toHaveLength(10);
    expect(trouble()?.pausedUntil).toBe(1100);
  });

  it('counts timeouts, nonsense and promises to those who cannot wait', async () => {
    const stage = new Stage(tier, { breaker: { failures: 2 } });
    stage.add('slow', 'collect', never, { deadlineMs: 20 });
    stage.add('wrong', 'texts', () => 1);
    stage.add('async', 'first', async () => 1);
    for (let i = 0; i < 3; i++) {
      await stage.call('collect');
      stage.call('texts');
      stage.sync('first');
    }
    expect(
      stage.kernel.troubled().map(({ plugin, failures, pausedUntil }) => [plugin, failures, pausedUntil !== null]),
    ).toEqual([
      ['slow', 2, true],
      ['wrong', 2, true],
      ['async', 2, true],
    ]);
    expect(stage.told.filter((told) => told.endsWith('HANDLER_PAUSED'))).toHaveLength(3);
  });

  it('takes nobody else along, not even of the same plugin', () => {
    const stage = new Stage(tier, { breaker: { failures: 1 } });
    const bad = () => {
      throw new Error('bad');
    };
    stage.put({
      name: 'p',
      handlers: [
        { hook: 'collect', handler: bad },
        { hook: 'collect', handler: () => 'good' },
        { hook: 'first', handler: () => 'good' },
      ],
    });
    for (let i = 0; i < 3; i++) expect(stage.call('collect')).toEqual(['good']);
    expect(stage.call('first')).toBe('good');
    expect(stage.told).toEqual(['p HANDLER_FAILED', 'p HANDLER_PAUSED', 'p HANDLER_PAUSED']);
  });

  it('is forgotten with its plugin', async () => {
    const { stage, fail } = patient(tier);
    fail(3);
    await stage.kernel.unregister('p');
    expect(stage.kernel.troubled()).toEqual([]);
    stage.add('p', 'collect', () => 'new');
    expect(stage.kernel.hook('collect').call({})).toEqual(['new']);
  });

  it('is watched while it is in trouble like any other', () => {
    const { stage, fail } = patient(tier);
    stage.kernel.intercept(({ plugin }) => void (stage.warming || stage.log.push(plugin)));
    fail(5);
    expect(stage.log).toEqual(['p', 'p', 'p']);
  });
});

describe.each(tiers)('a handler of a closed hook that keeps failing (%s)', (tier) => {
  const act = async ({ stage }: ReturnType<typeof patient>) => {
    const error = await errorOf(() => stage.call('closedCollect'));
    return (error.cause as { code: string }).code;
  };

  it('refuses while it is paused', async () => {
    const all = patient(tier, 'closedCollect');
    const codes: string[] = [];
    for (let i = 0; i < 4; i++) codes.push(await act(all));
    expect(codes).toEqual(['HANDLER_FAILED', 'HANDLER_FAILED', 'HANDLER_FAILED', 'HANDLER_PAUSED']);
  });

  it('has worked when it refuses by a verdict: that is an answer', async () => {
    const all = patient(tier, 'closedCollect');
    await act(all);
    await act(all);
    all.at.mode = 'block';
    expect(await act(all)).toBe('HOOK_REFUSED');
    expect(all.trouble()).toBeUndefined();
  });

  it('is healthy again when it refuses by a verdict after its pause', async () => {
    const all = patient(tier, 'closedCollect');
    for (let i = 0; i < 3; i++) await act(all);
    all.clock.now = 1100;
    all.at.mode = 'block';
    expect(await act(all)).toBe('HOOK_REFUSED');
    all.clock.now = 99_999;
    expect(await act(all)).toBe('HOOK_REFUSED');
    all.at.mode = 'good';
    expect(all.stage.call('closedCollect')).toEqual(['good']);
  });
});

describe.each(tiers)('a wrapper that keeps failing (%s)', (tier) => {
  function wrapped(hook: 'collect' | 'closedCollect', handler: () => unknown) {
    const clock = { now: 0 };
    const stage = new Stage(tier, { breaker: { failures: 2, pauseMs: 100, now: () => clock.now } });
    const at = { good: false };
    stage.add('a', hook, handler);
    stage.wrap('w', hook, () => () => {
      if (!at.good) throw new Error('bad');
    });
    return { stage, clock, at };
  }

  it('is left out for a while; the handlers are called without it', () => {
    const { stage, clock, at } = wrapped('collect', () => 1);
    for (let i = 0; i < 4; i++) expect(stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual(['w HANDLER_FAILED', 'w HANDLER_FAILED', 'w HANDLER_PAUSED', 'w HANDLER_PAUSED']);
    clock.now = 100;
    at.good = true;
    expect(stage.call('collect')).toEqual([1]);
    expect(stage.kernel.troubled()).toEqual([]);
  });

  it('begins anew when it has worked around handlers that wait', async () => {
    const { stage, at } = wrapped('collect', async () => 1);
    await stage.call('collect');
    at.good = true;
    expect(await stage.call('collect')).toEqual([1]);
    await turn();
    expect(stage.kernel.troubled()).toEqual([]);
  });

  it('is healthy again when it works after its pause around handlers that wait', async () => {
    const { stage, clock, at } = wrapped('collect', async () => 1);
    await stage.call('collect');
    await stage.call('collect');
    clock.now = 100;
    at.good = true;
    for (let i = 0; i < 3; i++) {
      expect(await stage.call('collect')).toEqual([1]);
      clock.now += 100_000;
    }
    expect(stage.told).toEqual(['w HANDLER_FAILED', 'w HANDLER_FAILED']);
  });

  it('is healthy again when it works after its pause around a handler that refuses', async () => {
    const at = { refuses: false };
    const { stage, clock, at: wrapper } = wrapped('closedCollect', () => (at.refuses ? { verdict: 'block' } : 'x'));
    for (let i = 0; i < 2; i++) await errorOf(() => stage.call('closedCollect'));
    wrapper.good = true;
    at.refuses = true;
    clock.now = 100;
    expect((await errorOf(() => stage.call('closedCollect'))).plugin).toBe('a');
    clock.now = 100_000;
    at.refuses = false;
    expect(await stage.call('closedCollect')).toEqual(['x']);
  });

  it('is left out for a while when it keeps putting nonsense in place', () => {
    const stage = new Stage(tier, { breaker: { failures: 2 } });
    stage.add('a', 'texts', () => 'text');
    stage.wrap('w', 'texts', () => () => 'no array');
    for (let i = 0; i < 3; i++) expect(stage.call('texts')).toEqual(['text']);
    expect(stage.told).toEqual(['w HANDLER_ANSWER', 'w HANDLER_ANSWER', 'w HANDLER_PAUSED']);
  });
});
