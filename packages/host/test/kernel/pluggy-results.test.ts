import { describe, expect, it } from 'vitest';
import { errorOf, Stage, tiers, turn } from './fixture.ts';

const soon = async <T>(value: T) => value;

describe.each(tiers)('hooks that want the first result, as pluggy has them (%s)', (tier) => {
  it('asks nobody else once somebody has answered', () => {
    const stage = new Stage(tier);
    stage.speaker('never-asked', 'first');
    stage.add('a', 'first', () => 'answer');
    stage.speaker('asked', 'first');
    expect(stage.call('first')).toBe('answer');
    expect(stage.sync('first')).toBe('answer');
    expect(stage.log).toEqual(['asked', 'asked']);
  });

  it('passes over those who answer null or nothing at all', () => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => 'answer');
    stage.add('b', 'first', () => null);
    stage.add('c', 'first', () => undefined);
    expect(stage.call('first')).toBe('answer');
  });

  it.each([false, 0, '', Number.NaN])('takes %j for an answer like any other', (answer) => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => 'later');
    stage.add('b', 'first', () => answer);
    expect(stage.call('first')).toBe(answer);
  });

  it('gives null when nobody has an answer', () => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => null);
    stage.speaker('b', 'first');
    expect(stage.call('first')).toBeNull();
    expect(stage.sync('first')).toBeNull();
  });

  it('gives null when there is nobody to ask', () => {
    const stage = new Stage(tier);
    expect(stage.call('first')).toBeNull();
    expect(stage.sync('first')).toBeNull();
  });

  it('asks the next one when somebody fails, where pluggy would raise the error', () => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => 'answer');
    stage.add('bad', 'first', () => {
      throw new Error('no');
    });
    expect(stage.call('first')).toBe('answer');
    expect(stage.told).toEqual(['bad HANDLER_FAILED']);
  });

  it('waits for a promise before it asks the next one, and takes what it brings', async () => {
    const stage = new Stage(tier);
    stage.speaker('never-asked', 'first');
    stage.add('a', 'first', () => soon('answer'));
    stage.add('b', 'first', async () => {
      await turn();
      stage.log.push('b');
      return null;
    });
    expect(await stage.call('first')).toBe('answer');
    expect(stage.log).toEqual(['b']);
  });

  it('gives null, in the end, when all promises bring nothing', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'first', () => soon(null));
    stage.add('b', 'first', () => soon(undefined));
    expect(await stage.call('first')).toBeNull();
  });

  it('gives the very object that was answered', () => {
    const stage = new Stage(tier);
    const answer = { some: 'thing' };
    stage.add('a', 'first', () => answer);
    expect(stage.call('first')).toBe(answer);
  });
});

describe.each(tiers)('hooks that collect all results, as pluggy has them (%s)', (tier) => {
  it('lists the answers in the order of the calls', () => {
    const stage = new Stage(tier);
    for (const n of [1, 2, 3]) stage.add(`p${n}`, 'collect', () => n);
    expect(stage.call('collect')).toEqual([3, 2, 1]);
    expect(stage.sync('collect')).toEqual([3, 2, 1]);
  });

  it('leaves out null and undefined, and nothing else', () => {
    const stage = new Stage(tier);
    const answers = [0, null, '', undefined, false];
    answers.forEach((answer, i) => {
      stage.add(`p${i}`, 'collect', () => answer);
    });
    expect(stage.call('collect')).toEqual([false, '', 0]);
  });

  it('gives an empty list when nobody is there or nobody answers', () => {
    const stage = new Stage(tier);
    expect(stage.call('collect')).toEqual([]);
    stage.speaker('a', 'collect');
    expect(stage.call('collect')).toEqual([]);
    expect(stage.log).toEqual(['a']);
  });

  it('gives each caller a list of its own', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    const [one, two] = [stage.sync('collect'), stage.sync('collect')];
    one.push(2);
    expect(two).toEqual([1]);
    expect(stage.sync('collect')).toEqual([1]);
  });

  it('leaves out those that fail, where pluggy would raise the error', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.add('bad', 'collect', () => {
      throw new Error('no');
    });
    stage.add('c', 'collect', () => 3);
    expect(stage.call('collect')).toEqual([3, 1]);
    expect(stage.told).toEqual(['bad HANDLER_FAILED']);
  });

  it('keeps the order of the calls when some answers are promises', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    stage.add('b', 'collect', async () => {
      await turn();
      return 2;
    });
    stage.add('c', 'collect', () => soon(null));
    stage.add('d', 'collect', () => 4);
    stage.add('e', 'collect', () => soon(5));
    const result = stage.call('collect');
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual([5, 4, 2, 1]);
  });

  it('calls a handler only when the promise of the one before is kept', async () => {
    const stage = new Stage(tier);
    const gate = Promise.withResolvers<void>();
    stage.speaker('after', 'collect');
    stage.add('waits', 'collect', () => gate.promise);
    const result = stage.call('collect');
    await turn();
    expect(stage.log).toEqual([]);
    gate.resolve();
    await result;
    expect(stage.log).toEqual(['after']);
  });

  it('gives an answer at once, not a promise, when no handler is async', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 1);
    expect(stage.call('collect')).toEqual([1]);
  });

  it('calls any number of handlers', () => {
    const stage = new Stage(tier);
    for (let n = 0; n < 230; n++) {
      stage.put({
        name: `p${n}`,
        handlers: [
          { hook: 'collect', handler: () => n },
          { hook: 'notify', handler: () => void stage.log.push(`p${n}`) },
        ],
      });
    }
    const expected = Array.from({ length: 230 }, (_, i) => 229 - i);
    expect(stage.sync('collect')).toEqual(expected);
    stage.sync('notify');
    expect(stage.log).toEqual(expected.map((n) => `p${n}`));
  });

  it('gives handlers the payload itself, once each', () => {
    const stage = new Stage(tier);
    const payload = { deep: { n: 1 } };
    stage.add('a', 'collect', (p) => p);
    stage.add('b', 'collect', (p, _context) => p);
    const [b, a] = stage.sync('collect', payload);
    expect(a).toBe(payload);
    expect(b).toBe(payload);
  });

  it('lets handlers take fewer arguments than there are', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', () => 'none');
    stage.add('b', 'collect', (payload) => payload);
    stage.add('c', 'collect', (payload, context: { plugin: string }) => [payload, context.plugin]);
    expect(stage.call('collect', 'p')).toEqual([['p', 'c'], 'p', 'none']);
  });

  it('gives a context also to handlers whose parameters do not show it', () => {
    const stage = new Stage('cold', { codegen: tier !== 'no codegen' });
    const name = (context: unknown) => (context as { plugin: string } | undefined)?.plugin;
    stage.add('rest', 'collect', (...all: unknown[]) => name(all[1]));
    stage.add('fallback', 'collect', (_payload, context: unknown = null) => name(context));
    const bound = function (this: unknown, _payload: unknown, context: unknown) {
      return name(context);
    };
    stage.add('bound', 'collect', bound.bind(null));
    const pattern = ({ a = 1 }, context: unknown = null) => [a, name(context)];
    stage.add('pattern', 'collect', pattern as (payload: never) => unknown);
    for (let i = 0; i < 600; i++) stage.call('collect');
    expect(stage.call('collect')).toEqual([[1, 'pattern'], 'bound', 'fallback', 'rest']);
  });
});

describe.each(tiers)('hooks that only tell (%s)', (tier) => {
  it('calls all and gives nothing', () => {
    const stage = new Stage(tier);
    stage.add('a', 'notify', () => 'thrown away');
    stage.speaker('b', 'notify');
    expect(stage.call('notify')).toBeUndefined();
    expect(stage.sync('notify')).toBeUndefined();
    expect(stage.log).toEqual(['b', 'b']);
  });

  it('waits for all', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'notify', async () => {
      await turn();
      stage.log.push('a');
    });
    const result = stage.call('notify');
    expect(stage.log).toEqual([]);
    expect(await result).toBeUndefined();
    expect(stage.log).toEqual(['a']);
  });

  it('means nothing by an answer that is no verdict, but looks at verdicts', () => {
    const stage = new Stage(tier);
    stage.add('a', 'verdicts', () => 42);
    stage.add('b', 'verdicts', () => ({ verdict: 'block', message: 'nobody asked' }));
    stage.add('c', 'verdicts', () => ({ verdict: 'fail', message: 'out of paper' }));
    stage.add('d', 'verdicts', () => ({ verdict: 'perhaps' }));
    expect(stage.call('verdicts')).toBeUndefined();
    expect(stage.told).toEqual(['d HANDLER_ANSWER', 'c HANDLER_FAILED']);
    expect(stage.failures[1]?.message).toContain('out of paper');
  });
});

describe('the caller of a hook', () => {
  it('is told which hook it may have meant', async () => {
    const stage = new Stage();
    const error = await errorOf(() => stage.kernel.hook('colect' as 'collect'));
    expect(error).toMatchObject({ code: 'HOOK_UNKNOWN', hook: 'colect' });
    expect(error.message).toContain('did you mean "collect"?');
  });

  it('can call by name as well as by the hook itself', () => {
    const stage = new Stage();
    stage.add('a', 'collect', (payload) => payload);
    expect(stage.kernel.call('collect', 1)).toEqual([1]);
    expect(stage.kernel.hook('collect').call(1)).toEqual([1]);
    expect(stage.kernel.hook('collect').size).toBe(1);
  });
});
