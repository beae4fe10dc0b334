import { PatchbayError, refuse } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { newRecord } from '../../src/kernel/index.ts';
import { errorOf, never, type Seen, Stage, tiers, turn, unheard } from './fixture.ts';

const closed = ['closedNotify', 'closedCollect', 'closedFirst', 'closedMerge', 'closedWaterfall'] as const;
const boom = new Error('boom');

/** Everything that refuses, with the code under which it is told (none for a verdict, which is no failure). */
const reasons: Record<string, [bad: () => unknown, code: string]> = {
  crashes: [
    () => {
      throw boom;
    },
    'HANDLER_FAILED',
  ],
  'is rejected': [() => Promise.reject(boom), 'HANDLER_FAILED'],
  'never answers': [never, 'HANDLER_TIMEOUT'],
  'answers nonsense': [() => Symbol('nonsense'), 'HANDLER_ANSWER'],
  'answers nonsense, later': [async () => Symbol('nonsense'), 'HANDLER_ANSWER'],
  'answers a verdict that does not exist': [() => ({ verdict: 'perhaps' }), 'HANDLER_ANSWER'],
  'says fail': [() => ({ verdict: 'fail', message: 'boom' }), 'HANDLER_FAILED'],
  'says fail, later': [async () => ({ verdict: 'fail', message: 'boom' }), 'HANDLER_FAILED'],
  'says block': [() => refuse('boom'), 'HOOK_REFUSED'],
  'says block, later': [async () => refuse('boom'), 'HOOK_REFUSED'],
};

/** An answer that lets things pass, for the neighbours. */
const payload = { n: 1 };
const pass = { verdict: 'warn', message: 'hm' };

describe.each(tiers)('a closed hook (%s)', (tier) => {
  for (const hook of closed) {
    // Deadlines take their time, and are the same for all kinds.
    const each = Object.entries(reasons).filter(([what]) => what !== 'never answers' || hook === 'closedNotify');
    it.each(each)(`(${hook}) is refused when a handler %s`, async (_what, [bad, code]) => {
      const stage = new Stage(tier);
      const record = newRecord();
      stage.speaker('after', hook);
      stage.add('bad', hook, bad, { deadlineMs: 20 });
      stage.speaker('before', hook);
      const error = await errorOf(() => stage.call(hook, payload, { run: 'r1', record }));
      expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'bad', hook, run: 'r1' });
      expect(error.exitCode).toBe(4);
      expect(error.cause).toMatchObject({ code, plugin: 'bad', hook, run: 'r1' });
      expect(stage.log).toEqual(['before']);
      expect(stage.told).toEqual(code === 'HOOK_REFUSED' ? [] : [`bad ${code}`]);
      expect(record.failures).toEqual(stage.failures);
      const cause = error.cause as PatchbayError;
      if (cause.cause !== undefined) expect(cause.cause).toBe(boom);
      if (code === 'HOOK_REFUSED' || code === 'HANDLER_FAILED') expect(error.message).toContain('boom');
    });

    it(`(${hook}) is refused by a paused handler`, async () => {
      const stage = new Stage(tier, { breaker: { failures: 1 } });
      stage.add('bad', hook, () => {
        stage.log.push('called');
        throw boom;
      });
      await errorOf(() => stage.call(hook, payload));
      const error = await errorOf(() => stage.call(hook, payload, { run: 'r1' }));
      expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'bad', hook, run: 'r1' });
      expect(error.cause).toMatchObject({ code: 'HANDLER_PAUSED', plugin: 'bad', run: 'r1' });
      expect(stage.log).toEqual(['called']);
    });

    it(`(${hook}) is refused by a handler that answers a promise to a caller that cannot wait`, async () => {
      const stage = new Stage(tier);
      stage.add('bad', hook, () => Promise.reject(boom));
      const unheardOf = await unheard(async () => {
        const error = await errorOf(() => stage.sync(hook, payload, { run: 'r1' }));
        expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'bad', run: 'r1' });
        expect(error.cause).toMatchObject({ code: 'HANDLER_ASYNC' });
      });
      expect(unheardOf).toEqual([]);
    });

    it.each(each)(`(${hook}) passes when an advisory handler %s`, async (what, [bad, code]) => {
      const stage = new Stage(tier);
      stage.speaker('after', hook);
      stage.add('bad', hook, bad, { deadlineMs: 20, advisory: true });
      await stage.call(hook, payload, { run: 'r1' });
      expect(stage.log).toEqual(['after']);
      // An observer means nothing by an answer that is no verdict.
      const ignored = hook === 'closedNotify' && what.startsWith('answers nonsense');
      expect(stage.told).toEqual(code === 'HOOK_REFUSED' || ignored ? [] : [`bad ${code}`]);
    });

    it(`(${hook}) passes when all say ok, warn or nothing`, async () => {
      const stage = new Stage(tier);
      stage.add('a', hook, () => ({ verdict: 'ok' }));
      stage.add('b', hook, async () => pass);
      stage.add('c', hook, () => null);
      stage.speaker('d', hook);
      const plain = new Stage(tier).call(hook, payload);
      expect(await stage.call(hook, payload)).toEqual(plain);
      expect(stage.log).toEqual(['d']);
      expect(stage.failures).toEqual([]);
    });
  }

  for (const hook of ['closedNotify', 'closedWaterfall'] as const) {
    it.each(Object.entries(reasons))(
      `(${hook}) is refused whatever wrappers do, when a handler %s`,
      async (_what, [bad]) => {
        const stage = new Stage(tier);
        stage.add('bad', hook, bad, { deadlineMs: 20 });
        const seen: unknown[] = [];
        stage.wrap(
          'looks',
          hook,
          () =>
            ({ refusal }: Seen) =>
              void seen.push(refusal),
        );
        stage.wrap('sync', hook, () => () => [payload]);
        stage.wrap('async', hook, async () => async () => payload);
        stage.wrap('null', hook, () => () => null);
        const unheardOf = await unheard(async () => {
          const error = await errorOf(() => stage.call(hook, payload, { run: 'r1' }));
          expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'bad', run: 'r1' });
        });
        expect(unheardOf).toEqual([]);
        expect(seen).toEqual([expect.objectContaining({ code: 'HOOK_REFUSED', plugin: 'bad', run: 'r1' })]);
        expect(stage.failures.filter(({ plugin }) => plugin !== 'bad')).toEqual([]);
      },
    );
  }

  it('calls nobody after the one that refuses', async () => {
    const stage = new Stage(tier);
    stage.speaker('after', 'closedNotify');
    stage.add('no', 'closedNotify', async () => refuse('no'));
    expect((await errorOf(() => stage.call('closedNotify'))).message).toContain('no');
    await turn();
    expect(stage.log).toEqual([]);
  });

  it('writes verdicts down that let pass, and those of advisory handlers', async () => {
    const stage = new Stage(tier);
    const record = newRecord();
    stage.add('b', 'closedNotify', async () => refuse('if I could'), { advisory: true });
    stage.add('a', 'closedNotify', () => pass);
    await stage.call('closedNotify', payload, { record });
    expect(record.answers).toEqual([
      { plugin: 'a', handler: 'a#1', answer: pass },
      { plugin: 'b', handler: 'b#1', answer: { verdict: 'block', message: 'if I could' } },
    ]);
  });

  it('says that no reason was given when none was', async () => {
    const stage = new Stage(tier);
    stage.add('no', 'closedNotify', () => ({ verdict: 'block' }));
    const error = await errorOf(() => stage.call('closedNotify'));
    expect(error.message).toContain('no reason given');
    expect(error.hint).not.toBe('');
  });

  it('takes the run from the payload if the caller names none', async () => {
    const stage = new Stage(tier);
    stage.add('no', 'closedNotify', () => refuse('no'));
    expect((await errorOf(() => stage.call('closedNotify', { run_id: 'r9' }))).run).toBe('r9');
  });

  it('throws at once if nobody waited, and is rejected otherwise', async () => {
    const stage = new Stage(tier);
    stage.add('no', 'closedNotify', () => refuse('no'));
    expect(() => stage.call('closedNotify')).toThrow(PatchbayError);
    expect(() => stage.sync('closedNotify')).toThrow(PatchbayError);
    stage.add('waits', 'closedNotify', async () => null);
    const result = stage.call('closedNotify');
    expect(result).toBeInstanceOf(Promise);
    await expect(result).rejects.toMatchObject({ code: 'HOOK_REFUSED', plugin: 'no' });
  });

  it('does not take verdicts for answers', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'closedCollect', () => 'text');
    stage.add('b', 'closedCollect', () => pass);
    stage.add('c', 'closedFirst', () => 'text');
    stage.add('d', 'closedFirst', () => pass);
    expect(stage.call('closedCollect')).toEqual(['text']);
    expect(stage.call('closedFirst')).toBe('text');
  });

  const crash = () => {
    throw boom;
  };
  it.each<[string, (payload: never, context: never) => unknown, called: boolean]>([
    ['throws before', crash, false],
    ['is rejected before', () => Promise.reject(boom), false],
    ['never answers before', never, false],
    ['answers no function', () => 'nonsense', false],
    ['throws after', () => crash, true],
    ['is rejected after', async () => async () => crash(), true],
    ['never answers after', () => never, true],
  ])('is refused by a wrapper of its own that %s, unless that is advisory', async (_what, wrapper, called) => {
    for (const advisory of [false, true]) {
      const stage = new Stage(tier);
      const seen: unknown[] = [];
      stage.speaker('a', 'closedNotify');
      stage.wrap('inner', 'closedNotify', () => () => void stage.log.push('inner'));
      stage.wrap('w', 'closedNotify', wrapper, { deadlineMs: 20, advisory });
      stage.wrap(
        'outer',
        'closedNotify',
        () =>
          ({ refusal }: Seen) =>
            void seen.push(refusal),
      );
      const act = () => stage.call('closedNotify', payload, { run: 'r1' });
      if (advisory) {
        await act();
        expect(seen).toEqual([undefined]);
      } else {
        const error = await errorOf(act);
        expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'w', run: 'r1' });
        expect(seen).toEqual([error]);
      }
      expect(stage.log).toEqual(advisory || called ? ['a', 'inner'] : []);
      expect(stage.failures.map(({ plugin }) => plugin)).toEqual(['w']);
    }
  });

  it('still names the one who refused when a wrapper fails over that, and tells of the wrapper', async () => {
    for (const wrapper of [() => crash, () => async () => crash(), async () => crash]) {
      const stage = new Stage(tier);
      stage.add('no', 'closedNotify', () => refuse('no'));
      stage.wrap('w', 'closedNotify', wrapper);
      expect(await errorOf(() => stage.call('closedNotify'))).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'no' });
      expect(stage.told).toEqual(['w HANDLER_FAILED']);
    }
  });
});
