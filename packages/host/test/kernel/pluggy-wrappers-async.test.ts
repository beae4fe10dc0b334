import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { errorOf, never, type Seen, Stage, tiers, turn, unheard } from './fixture.ts';

const soon = async <T>(value: T) => value;

interface Context {
  readonly signal: AbortSignal;
}

describe.each(tiers)('wrappers that wait, which pluggy does not have (%s)', (tier) => {
  const around = (stage: Stage, name: string) => async () => {
    await turn();
    stage.log.push(`${name}(`);
    return async () => {
      await turn();
      stage.log.push(`)${name}`);
    };
  };

  it('waits for the first half before the handlers, and for the second before it gives the result', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => {
      stage.log.push('a');
      return 1;
    });
    stage.wrap('w', 'collect', around(stage, 'w'));
    const result = stage.call('collect');
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual([1]);
    expect(stage.log.join(' ')).toBe('w( a )w');
  });

  it('nests async wrappers among others, around handlers of both sorts', async () => {
    const stage = new Stage(tier);
    stage.wrap('u', 'notify', around(stage, 'u'));
    stage.wrap('v', 'notify', () => {
      stage.log.push('v(');
      return () => void stage.log.push(')v');
    });
    stage.wrap('w', 'notify', around(stage, 'w'));
    stage.speaker('b', 'notify');
    stage.add('a', 'notify', async () => {
      await turn();
      stage.log.push('a');
    });
    await stage.call('notify');
    expect(stage.log.join(' ')).toBe('w( v( u( a b )u )v )w');
  });

  it('calls the second half only when async handlers have ended, with what they came to', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<string>();
    stage.add('a', 'collect', () => gate.promise);
    stage.wrap(
      'w',
      'collect',
      () =>
        ({ result }: Seen) =>
          void stage.log.push(`${result}`),
    );
    const result = stage.call('collect');
    await turn();
    expect(stage.log).toEqual([]);
    gate.resolve('kept');
    expect(await result).toEqual(['kept']);
    expect(stage.log).toEqual(['kept']);
  });

  it('takes the result that an async wrapper puts in place', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => soon(1));
    stage.wrap(
      'inner',
      'collect',
      () =>
        ({ result }: Seen<number[]>) =>
          soon([...result, 2]),
    );
    stage.wrap('outer', 'collect', () => soon(({ result }: Seen<number[]>) => [...result, 3]));
    expect(await stage.call('collect')).toEqual([1, 2, 3]);
  });

  it('keeps the result when the promise of a wrapper brings nothing', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => soon(1));
    stage.wrap('v', 'first', () => soon(undefined));
    stage.wrap('w', 'first', () => soon(() => soon(undefined)));
    expect(await stage.call('first')).toBe(1);
  });

  it('keeps the result, and tells of it, when the promise of a wrapper brings nonsense', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'texts', () => soon('text'));
    stage.wrap('v', 'texts', () => () => soon('no array'));
    stage.wrap('w', 'texts', () => soon('no function'));
    expect(await stage.call('texts')).toEqual(['text']);
    expect(stage.told).toEqual(['w HANDLER_ANSWER', 'v HANDLER_ANSWER']);
  });

  it('calls the handlers of a wrapper that is rejected before them, and tells of it once', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => soon(1));
    stage.wrap('w', 'collect', async () => {
      throw new Error('before');
    });
    expect(await stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual(['w HANDLER_FAILED']);
  });

  it('keeps the result when a wrapper is rejected after the handlers', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => soon(1));
    stage.wrap('w', 'collect', () => () => Promise.reject(new Error('after')));
    stage.wrap('outer', 'collect', around(stage, 'outer'));
    expect(await stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual(['w HANDLER_FAILED']);
    expect(stage.log.join(' ')).toBe('outer( )outer');
  });

  it('gives up waiting for a first half at its deadline, aborts it, and calls the handlers', async () => {
    const stage = new Stage(tier);
    const late = Promise.withResolvers<() => void>();
    let signal: AbortSignal | undefined;
    stage.add('a', 'collect', () => {
      stage.log.push('a');
      return 1;
    });
    const wrapper = (_payload: unknown, context: Context) => {
      signal = context.signal;
      return late.promise;
    };
    stage.wrap('w', 'collect', wrapper, { deadlineMs: 20 });
    expect(await stage.call('collect')).toEqual([1]);
    late.resolve(() => void stage.log.push('too late'));
    await turn();
    expect(stage.log).toEqual(['a']);
    expect(stage.told).toEqual(['w HANDLER_TIMEOUT']);
    expect(signal?.aborted).toBe(true);
  });

  it('gives up waiting for a second half at its deadline, aborts it, and keeps the result', async () => {
    const stage = new Stage(tier);
    const late = Promise.withResolvers<unknown>();
    let signal: AbortSignal | undefined;
    stage.add('a', 'first', () => 1);
    const wrapper = (_payload: unknown, context: Context) => {
      signal = context.signal;
      return () => late.promise;
    };
    stage.wrap('w', 'first', wrapper, { deadlineMs: 20 });
    const result = await stage.call('first');
    late.resolve('too late');
    await turn();
    expect(result).toBe(1);
    expect(stage.told).toEqual(['w HANDLER_TIMEOUT']);
    expect(signal?.aborted).toBe(true);
  });

  it.each(['first', 'second'])('aborts no other wrapper when the %s half of one takes too long', async (half) => {
    const stage = new Stage(tier);
    const signals: Record<string, AbortSignal> = {};
    const keep = (name: string) => (_payload: unknown, context: Context) => {
      signals[name] = context.signal;
      return () => {};
    };
    stage.wrap('inner', 'notify', keep('inner'));
    const slow = (_payload: unknown, _context: Context) => (half === 'first' ? never() : never);
    stage.wrap('slow', 'notify', slow, { deadlineMs: 20 });
    stage.wrap('outer', 'notify', keep('outer'));
    await stage.call('notify');
    expect(stage.told).toEqual(['slow HANDLER_TIMEOUT']);
    expect([signals.inner?.aborted, signals.outer?.aborted]).toEqual([false, false]);
  });

  it('may lose patience with several wrappers of one call, each by its own deadline', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.wrap('u', 'collect', never, { deadlineMs: 20 });
    stage.wrap('v', 'collect', () => never, { deadlineMs: 20 });
    stage.wrap('w', 'collect', around(stage, 'w'));
    expect(await stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual(['u HANDLER_TIMEOUT', 'v HANDLER_TIMEOUT']);
    expect(stage.log.join(' ')).toBe('w( )w');
  });

  it('does not count the time of the handlers towards the deadline of a wrapper', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', async () => {
      await sleep(120);
      return 1;
    });
    stage.wrap('w', 'collect', async () => async () => {}, { deadlineMs: 20 });
    expect(await stage.call('collect')).toEqual([1]);
    expect(stage.told).toEqual([]);
  });

  it('lets nobody hear of a half that is rejected after its deadline', async () => {
    const stage = new Stage(tier);
    const late = Promise.withResolvers<never>();
    stage.wrap('w', 'notify', () => late.promise, { deadlineMs: 20 });
    const reasons = await unheard(async () => {
      await stage.call('notify');
      late.reject(new Error('too late'));
    });
    expect(reasons).toEqual([]);
    expect(stage.told).toEqual(['w HANDLER_TIMEOUT']);
  });

  it('lets no async wrapper undo a refusal, whether the handlers wait or not', async () => {
    for (const handler of [() => ({ verdict: 'block' }), () => soon({ verdict: 'block' })]) {
      const stage = new Stage(tier);
      const seen: unknown[] = [];
      stage.add('no', 'closedFirst', handler);
      stage.wrap('v', 'closedFirst', () => async ({ refusal }: Seen) => {
        seen.push(refusal);
        return 'never mind';
      });
      stage.wrap('w', 'closedFirst', async () => () => 'never mind');
      const error = await errorOf(() => stage.call('closedFirst'));
      expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'no' });
      expect(seen).toEqual([error]);
      expect(stage.failures).toEqual([]);
    }
  });

  it('leaves no rejection unheard when a wrapper fails around handlers that refuse later', async () => {
    const stage = new Stage(tier);
    stage.add('no', 'closedFirst', async () => {
      await turn();
      return { verdict: 'block' };
    });
    stage.wrap('v', 'closedFirst', () => () => {
      throw new Error('after');
    });
    stage.wrap('w', 'closedFirst', () => () => Promise.reject(new Error('after')));
    const reasons = await unheard(async () => {
      expect(await errorOf(() => stage.call('closedFirst'))).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'no' });
      await turn();
    });
    expect(reasons).toEqual([]);
    expect(stage.told).toEqual(['v HANDLER_FAILED', 'w HANDLER_FAILED']);
  });
});
