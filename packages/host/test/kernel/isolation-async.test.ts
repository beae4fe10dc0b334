import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { never, Stage, thenable, tiers, turn, unheard, unreadable } from './fixture.ts';

const trap = () => {
  throw new Error('trapped');
};

describe.each(tiers)('an answer that only looks like a promise (%s)', (tier) => {
  const hostile: Record<string, [make: () => unknown, answer: unknown]> = {
    'calls back at once': [() => thenable((ok) => ok('x')), 'x'],
    'calls back twice': [
      () =>
        thenable((ok) => {
          ok('x');
          ok('y');
        }),
      'x',
    ],
    'calls both back': [
      () =>
        thenable((ok, no) => {
          ok('x');
          no(new Error('y'));
        }),
      'x',
    ],
    'calls back and throws': [
      () =>
        thenable((ok) => {
          ok('x');
          trap();
        }),
      'x',
    ],
    'calls back with another of its kind': [() => thenable((ok) => ok(thenable((inner) => inner('x')))), 'x'],
    'is a promise with a then of its own': [
      () =>
        Object.assign(
          Promise.resolve('x'),
          thenable((ok) => ok('x')),
        ),
      'x',
    ],
    'is of a class of its own': [() => new (class extends Promise<string> {})((ok) => ok('x')), 'x'],
    'is a function': [
      () =>
        Object.assign(
          () => {},
          thenable((ok) => ok('x')),
        ),
      'x',
    ],
    'says no': [() => thenable((_ok, no) => no('z')), 'HANDLER_FAILED'],
    'says no twice': [
      () =>
        thenable((_ok, no) => {
          no(1);
          no(2);
        }),
      'HANDLER_FAILED',
    ],
    throws: [() => thenable(trap), 'HANDLER_FAILED'],
    'cannot be read': [unreadable, 'HANDLER_FAILED'],
    'never calls back': [() => thenable(() => {}), 'HANDLER_TIMEOUT'],
  };

  it.each(Object.entries(hostile))('is heard once when it %s', async (_what, [make, answer]) => {
    const failed = String(answer).startsWith('HANDLER');
    for (const early of [false, true]) {
      const stage = new Stage(tier);
      stage.add('p1', 'collect', () => 1);
      stage.add('odd', 'collect', make, { deadlineMs: 20 });
      if (early) stage.add('early', 'collect', async () => {});
      let result: unknown;
      const reasons = await unheard(async () => {
        result = await Promise.race([stage.call('collect'), sleep(200, 'still waiting', { ref: false })]);
      });
      expect(result).toEqual(failed ? [1] : [answer, 1]);
      expect(stage.told).toEqual(failed ? [`odd ${answer}`] : []);
      expect(reasons).toEqual([]);
    }
  });

  it('is looked at with care even where it is nothing of the sort', async () => {
    const answer = new Proxy({}, { getPrototypeOf: trap });
    for (const early of [false, true]) {
      const stage = new Stage(tier);
      stage.add('odd', 'first', () => answer);
      if (early) stage.add('early', 'first', async () => {});
      let result: unknown;
      const reasons = await unheard(async () => {
        result = await Promise.race([stage.call('first'), sleep(200, 'still waiting', { ref: false })]);
      });
      expect(reasons).toEqual([]);
      expect(result === answer).toBe(true);
      expect(stage.told).toEqual([]);
    }
  });

  it.each(Object.entries(hostile))('is heard once from a wrapper when it %s', async (_what, [make, answer]) => {
    const failed = String(answer).startsWith('HANDLER');
    const stage = new Stage(tier);
    stage.add('p1', 'first', () => 'p1');
    stage.wrap('odd', 'first', () => make, { deadlineMs: 20 });
    let result: unknown;
    const reasons = await unheard(async () => {
      result = await stage.call('first');
    });
    expect(result).toBe(failed ? 'p1' : answer);
    expect(stage.told).toEqual(failed ? [`odd ${answer}`] : []);
    expect(reasons).toEqual([]);
  });

  it.each(Object.entries(hostile))('has failed when it %s and the caller cannot wait', async (what, [make]) => {
    const stage = new Stage(tier);
    stage.add('p1', 'collect', () => 1);
    stage.add('odd', 'collect', make);
    const reasons = await unheard(() => {
      expect(stage.sync('collect')).toEqual([1]);
    });
    const codes = what.includes('cannot be read') ? /^odd HANDLER_(ASYNC|FAILED)$/ : /^odd HANDLER_ASYNC$/;
    expect(stage.told).toEqual([expect.stringMatching(codes)]);
    expect(reasons).toEqual([]);
  });

  it('leaves no rejection unheard where a promise hides it from a caller that cannot wait', async () => {
    const stage = new Stage(tier);
    stage.add('odd', 'notify', () => Object.assign(Promise.reject(new Error('hidden')), { catch: () => {} }));
    const reasons = await unheard(() => stage.sync('notify'));
    expect(stage.told).toEqual(['odd HANDLER_ASYNC']);
    expect(reasons).toEqual([]);
  });

  it('is still no promise when its then is not a function', () => {
    const stage = new Stage(tier);
    const answer = { ['then' as string]: 'later' };
    stage.add('a', 'first', () => answer);
    expect(stage.call('first')).toBe(answer);
  });
});

describe.each(tiers)('a deadline (%s)', (tier) => {
  it('aborts the signal of the handler, and says why', async () => {
    const stage = new Stage(tier);
    const heard: unknown[] = [];
    stage.add(
      'slow',
      'notify',
      (_payload, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener('abort', () => heard.push((signal.reason as Error).message));
        return never();
      },
      { deadlineMs: 20 },
    );
    await stage.call('notify');
    expect(heard).toEqual([expect.stringContaining('slow')]);
  });

  it('shows an aborted signal to a handler that asks for it only afterwards', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<void>();
    const seen: boolean[] = [];
    stage.add(
      'slow',
      'notify',
      async (_payload, context: { signal: AbortSignal }) => {
        await gate.promise;
        seen.push(context.signal.aborted);
      },
      { deadlineMs: 20 },
    );
    await stage.call('notify');
    gate.resolve();
    await turn();
    expect(seen).toEqual([true]);
  });

  it('makes one signal for a call of a handler, and none for the next call', async () => {
    const stage = new Stage(tier);
    const seen: AbortSignal[] = [];
    stage.add(
      'a',
      'notify',
      (_payload, context: { signal: AbortSignal }) => void seen.push(context.signal, context.signal),
    );
    stage.call('notify');
    stage.call('notify');
    expect(seen[0]).toBe(seen[1]);
    expect(seen[2]).not.toBe(seen[0]);
    expect(seen.map(({ aborted }) => aborted)).toEqual([false, false, false, false]);
  });

  it.each(['at once', 'later'])('aborts the signal of nobody else, who answered %s', async (when) => {
    const stage = new Stage(tier);
    const signals: AbortSignal[] = [];
    const keep = (_payload: unknown, context: { signal: AbortSignal }) => {
      signals.push(context.signal);
      return when === 'later' ? Promise.resolve() : undefined;
    };
    stage.add('after', 'notify', keep);
    stage.add('slow', 'notify', () => never(), { deadlineMs: 20 });
    stage.add('before', 'notify', keep);
    await stage.call('notify');
    expect(stage.told).toEqual(['slow HANDLER_TIMEOUT']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it('may pass for several handlers of one call, each by its own', async () => {
    const stage = new Stage(tier);
    stage.add('last', 'collect', () => 'last');
    stage.add('c', 'collect', never, { deadlineMs: 20 });
    stage.add('b', 'collect', async () => 'b', { deadlineMs: 20 });
    stage.add('a', 'collect', never, { deadlineMs: 40 });
    expect(await stage.call('collect')).toEqual(['b', 'last']);
    expect(stage.told).toEqual(['a HANDLER_TIMEOUT', 'c HANDLER_TIMEOUT']);
    expect(stage.failures.map(({ message }) => /\d+ ms/.exec(message)?.[0])).toEqual(['40 ms', '20 ms']);
  });

  it('may pass for many calls at once', async () => {
    const stage = new Stage(tier, { breaker: { failures: 1000 } });
    stage.add('good', 'collect', (n) => n);
    stage.add('slow', 'collect', never, { deadlineMs: 20 });
    const calls = Array.from({ length: 50 }, (_, n) => stage.call('collect', n));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, (_, n) => [n]));
    expect(stage.told).toEqual(Array.from({ length: 50 }, () => 'slow HANDLER_TIMEOUT'));
  });

  it('lets nobody hear of what settles after it, kept or broken', async () => {
    const stage = new Stage(tier);
    const kept = Promise.withResolvers<string>();
    const broken = Promise.withResolvers<string>();
    stage.add('good', 'collect', () => 'good');
    stage.add('kept', 'collect', () => kept.promise, { deadlineMs: 20 });
    stage.add('broken', 'collect', () => broken.promise, { deadlineMs: 20 });
    const reasons = await unheard(async () => {
      const result = await stage.call('collect');
      kept.resolve('too late');
      broken.reject(new Error('too late'));
      await turn();
      expect(result).toEqual(['good']);
    });
    expect(stage.told).toEqual(['broken HANDLER_TIMEOUT', 'kept HANDLER_TIMEOUT']);
    expect(reasons).toEqual([]);
  });

  it('does not let a late answer stand in for the one that is waited for', async () => {
    const stage = new Stage(tier);
    const late = Promise.withResolvers<string>();
    const other = Promise.withResolvers<string>();
    stage.add('other', 'collect', () => {
      late.resolve('too late');
      return other.promise;
    });
    stage.add('late', 'collect', () => late.promise, { deadlineMs: 20 });
    const result = stage.call('collect');
    await late.promise;
    await turn();
    other.resolve('in time');
    expect(await result).toEqual(['in time']);
  });
});

describe.each(tiers)('a promise whose constructor cannot be read (%s)', (tier) => {
  const make = () => Object.defineProperty(Promise.resolve('x'), 'constructor', { get: trap });

  it('is a failure of the handler that answers it', async () => {
    for (const early of [false, true]) {
      const stage = new Stage(tier);
      stage.add('p1', 'collect', () => 1);
      stage.add('odd', 'collect', make);
      if (early) stage.add('early', 'collect', async () => {});
      const reasons = await unheard(async () => {
        expect(await stage.call('collect')).toEqual([1]);
        expect(stage.sync('collect')).toEqual([1]);
      });
      expect(stage.told.filter((told) => !told.startsWith('early'))).toEqual([
        'odd HANDLER_FAILED',
        expect.stringMatching(/^odd HANDLER_(ASYNC|FAILED)$/),
      ]);
      expect(reasons).toEqual([]);
    }
  });

  it.each([
    ['first', make],
    ['second', () => make],
  ])('is a failure of the wrapper whose %s half answers it, and is over then', async (_half, wrapper) => {
    const stage = new Stage(tier);
    stage.add('p1', 'collect', () => 1);
    stage.wrap('odd', 'collect', wrapper, { deadlineMs: 20 });
    const reasons = await unheard(async () => {
      expect(await stage.call('collect')).toEqual([1]);
      await sleep(70);
    });
    expect(stage.told).toEqual(['odd HANDLER_FAILED']);
    expect(reasons).toEqual([]);
  });
});
