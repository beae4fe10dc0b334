import { describe, expect, it } from 'vitest';
import { newRecord } from '../../src/kernel/index.ts';
import { errorOf, type HookId, never, Stage, tiers, turn, unheard } from './fixture.ts';

const trap = () => {
  throw new Error('trapped');
};

/** Everything that a handler may throw at us, each made anew. */
const missiles: Record<string, () => unknown> = {
  'an error': () => new Error('plain'),
  'an error without a message': () => new RangeError(),
  'an error of ours': () => Object.assign(new Error('HOOK_REFUSED'), { code: 'HOOK_REFUSED' }),
  undefined: () => undefined,
  null: () => null,
  'a text': () => 'text',
  'a number': () => 0,
  'a symbol': () => Symbol('s'),
  'a bigint': () => 1n,
  'a function': () => trap,
  'an object that cannot be shown': () => ({ toString: trap, toJSON: trap }),
  'a circle': () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    return circle;
  },
  'an object without a prototype': () => Object.create(null),
  'an error whose message cannot be read': () => Object.defineProperty(new Error('x'), 'message', { get: trap }),
  'an error whose message is a symbol': () => Object.assign(new Error('x'), { message: Symbol('s') }),
  'an error whose message cannot be shown': () => Object.assign(new Error('x'), { message: { toString: trap } }),
  'a proxy that answers nothing': () => new Proxy({}, { get: trap, has: trap, ownKeys: trap }),
  'a proxy that hides its prototype': () => new Proxy({}, { getPrototypeOf: trap, get: trap, has: trap }),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'a promise': () => Promise.resolve('odd'),
};

const kinds = ['notify', 'collect', 'first', 'merge', 'waterfall'] as const;

/** Three plugins of a soft hook, of which the middle one misbehaves; and what the call should come to. */
function trio(stage: Stage, hook: (typeof kinds)[number], bad: () => unknown, options = {}) {
  const answer = (n: number) => {
    const answers = { notify: undefined, collect: n, first: n === 3 ? null : n, merge: { [`k${n}`]: n } };
    return hook === 'waterfall' ? (p: number[]) => [...p, n] : () => answers[hook];
  };
  const say = (n: number) => {
    const give = answer(n) as (payload: unknown) => unknown;
    return (payload: unknown) => {
      stage.log.push(`p${n}`);
      return give(payload);
    };
  };
  stage.add('p1', hook, say(1));
  stage.add('bad', hook, bad, options);
  stage.add('p3', hook, say(3));
  const merged = { entries: { k1: 1, k3: 3 }, owners: { k1: 'p1', k3: 'p3' }, conflicts: [] };
  return { notify: undefined, collect: [3, 1], first: 1, merge: merged, waterfall: [0, 3, 1] }[hook];
}

const told = (code: string, hook: string) => expect.objectContaining({ code, plugin: 'bad', hook, run: 'r1' });

describe.each(tiers)('a handler that misbehaves (%s)', (tier) => {
  it.each(Object.keys(missiles))('stops no other of a soft hook when it throws %s', (what) => {
    for (const hook of kinds) {
      const stage = new Stage(tier);
      const missile = missiles[what]?.();
      const expected = trio(stage, hook, () => {
        throw missile;
      });
      const record = newRecord();
      expect(stage.call(hook, [0], { run: 'r1' })).toEqual(expected);
      expect(stage.call(hook, [0], { run: 'r1', record })).toEqual(expected);
      expect(stage.sync(hook, [0], { run: 'r1' })).toEqual(expected);
      expect(stage.log).toEqual(['p3', 'p1', 'p3', 'p1', 'p3', 'p1']);
      expect(stage.failures).toEqual(Array.from({ length: 3 }, () => told('HANDLER_FAILED', hook)));
      expect(stage.failures[0]?.cause === missile).toBe(true);
      expect(record.failures.length).toBe(1);
      expect(record.failures[0] === stage.failures[1]).toBe(true);
    }
  });

  it.each(Object.keys(missiles))('stops no other of a soft hook when it is rejected with %s', async (what) => {
    for (const hook of kinds) {
      const stage = new Stage(tier);
      const missile = missiles[what]?.();
      const expected = trio(stage, hook, () => Promise.reject(missile));
      let result: unknown;
      const reasons = await unheard(async () => {
        const call = stage.call(hook, [0], { run: 'r1' });
        result = await Promise.race([call, turn().then(() => 'still waiting')]);
      });
      expect(result).toEqual(expected);
      expect(stage.log).toEqual(['p3', 'p1']);
      expect(stage.failures).toEqual([told('HANDLER_FAILED', hook)]);
      expect(reasons).toEqual([]);
    }
  });

  it.each(kinds)('stops no other of a soft %s hook when it never answers', async (hook) => {
    const stage = new Stage(tier);
    const expected = trio(stage, hook, never, { deadlineMs: 20 });
    expect(await stage.call(hook, [0], { run: 'r1' })).toEqual(expected);
    expect(stage.log).toEqual(['p3', 'p1']);
    expect(stage.failures).toEqual([told('HANDLER_TIMEOUT', hook)]);
  });

  it.each(kinds)('stops no other of a soft %s hook when it answers a promise to who cannot wait', async (hook) => {
    for (const promise of [() => Promise.resolve(1), () => Promise.reject(new Error('late')), never]) {
      const stage = new Stage(tier);
      const expected = trio(stage, hook, promise);
      const reasons = await unheard(() => {
        expect(stage.sync(hook, [0], { run: 'r1' })).toEqual(expected);
      });
      expect(stage.log).toEqual(['p3', 'p1']);
      expect(stage.failures).toEqual([told('HANDLER_ASYNC', hook)]);
      expect(reasons).toEqual([]);
    }
  });

  it.each([
    ['texts', 42, ['ok']],
    ['text', {}, 'ok'],
    ['numbers', { a: 'x' }, { entries: {}, owners: {}, conflicts: [] }],
    ['counted', { n: 'x' }, { n: 0 }],
    ['verdicts', { verdict: 'maybe' }, undefined],
  ] as const)('is told of when it answers what a %s hook does not allow', async (hook, answer, expected) => {
    for (const bad of [() => answer, async () => answer]) {
      const stage = new Stage(tier);
      if (hook === 'text' || hook === 'texts') stage.add('good', hook, () => 'ok');
      stage.add('bad', hook, bad);
      expect(await stage.call(hook, { n: 0 }, { run: 'r1' })).toEqual(expected);
      expect(stage.failures).toEqual([told('HANDLER_ANSWER', hook)]);
    }
  });

  it('is blamed with the run that the payload names, if the caller names none', () => {
    const stage = new Stage(tier);
    stage.add('bad', 'notify', trap);
    stage.call('notify', { run_id: 'r7' });
    stage.call('notify', { run_id: 'r7' }, { run: 'r8' });
    stage.call('notify', { run_id: 9 });
    stage.call('notify', null);
    expect(stage.failures.map(({ run }) => run)).toEqual(['r7', 'r8', undefined, undefined]);
  });

  it('hands over an answer whose properties cannot be listed without hurting others: merge', () => {
    const stage = new Stage(tier);
    const expected = trio(stage, 'merge', () => new Proxy({}, { ownKeys: trap }));
    expect(stage.call('merge', [0], { run: 'r1' })).toEqual(expected);
    expect(stage.failures).toEqual([told('HANDLER_FAILED', 'merge')]);
  });

  it.each([
    ['hides its prototype', { getPrototypeOf: trap }],
    ['cannot be listed', { ownKeys: trap }],
    ['cannot be frozen', { preventExtensions: trap }],
  ])('hurts no other when the payload it puts in place %s: waterfall', (_what, handlers) => {
    const stage = new Stage(tier);
    const expected = trio(stage, 'waterfall', () => new Proxy({}, handlers));
    expect(stage.call('waterfall', [0], { run: 'r1' })).toEqual(expected);
    expect(stage.failures).toEqual([told('HANDLER_FAILED', 'waterfall')]);
  });

  it('hurts no other when the payload it puts in place has a run that cannot be read', () => {
    const stage = new Stage(tier);
    stage.add('victim', 'waterfall', trap);
    stage.add('bad', 'waterfall', () => Object.defineProperty({}, 'run_id', { get: trap }));
    stage.call('waterfall', {});
    expect(stage.told).toEqual(['victim HANDLER_FAILED']);
  });
});

describe.each(tiers)('a payload that a handler would change (%s)', (tier) => {
  it.each(['notify', 'collect', 'first', 'merge', 'waterfall', 'texts', 'closedNotify'] as HookId[])(
    'is frozen all the way down: %s',
    async (hook) => {
      const stage = new Stage(tier);
      const seen: unknown[] = [];
      const payload = { list: [{ n: 1 }], bare: Object.assign(Object.create(null), { deep: {} }) };
      const acts: ((p: typeof payload) => void)[] = [
        (p) => p.list.push({ n: 2 }),
        (p) => {
          (p.list[0] as { n: number }).n = 3;
        },
        (p) => {
          p.bare.deep.more = 1;
        },
        (p) => Object.setPrototypeOf(p, null),
        (p) => Object.assign(p, { more: 1 }),
        (p) => Reflect.deleteProperty(p, 'list') || trap(),
      ];
      stage.add('neighbour', hook, (p) => void seen.push(structuredClone(p)));
      stage.add('vandal', hook, (p: typeof payload) => {
        for (const act of acts) expect(() => act(p)).toThrow();
      });
      await stage.call(hook, payload);
      expect(seen).toEqual([{ list: [{ n: 1 }], bare: { deep: {} } }]);
      expect(stage.failures).toEqual([]);
    },
  );

  it('is left alone where it has a class of its own, and where the hook says so', () => {
    const stage = new Stage(tier);
    const payload = { when: new Date(0), bytes: new Uint8Array(2), map: new Map() };
    const act = (p: typeof payload) => {
      p.when.setTime(1);
      p.bytes[0] = 1;
      p.map.set('k', 1);
    };
    stage.add('a', 'notify', act);
    stage.call('notify', payload);
    expect([payload.when.getTime(), payload.bytes[0], payload.map.size]).toEqual([1, 1, 1]);
    const loose = { n: 1 };
    stage.add('b', 'looseNotify', (p: typeof loose) => {
      p.n = 2;
    });
    stage.call('looseNotify', loose);
    expect(loose.n).toBe(2);
    expect(stage.failures).toEqual([]);
  });

  it('may be a circle', () => {
    const stage = new Stage(tier);
    const payload: { self?: unknown; list: unknown[] } = { list: [] };
    payload.self = payload;
    payload.list.push(payload);
    stage.add('a', 'collect', (p) => p);
    expect(stage.sync('collect', payload)[0]).toBe(payload);
    expect(Object.isFrozen(payload) && Object.isFrozen(payload.list)).toBe(true);
  });

  it('may be no object at all', () => {
    const stage = new Stage(tier);
    stage.add('a', 'collect', (p: unknown) => [p]);
    for (const payload of [undefined, null, 0, 'text', trap]) {
      expect(stage.hook('collect').call(payload)).toEqual([[payload]]);
    }
  });
});

describe('what hears of the failures', () => {
  it('may fail itself without hurting the call', async () => {
    const stage = new Stage('cold', { onFailure: trap });
    stage.add('good', 'collect', () => 1);
    stage.add('bad', 'collect', trap);
    const warned = new Promise((resolve) => process.once('warning', resolve));
    expect(stage.call('collect')).toEqual([1]);
    expect(await warned).toMatchObject({ name: 'PatchbayWarning' });
  });

  it('need not be there', async () => {
    const stage = new Stage('cold', { onFailure: undefined as never });
    stage.add('bad', 'closedCollect', trap);
    expect((await errorOf(() => stage.call('closedCollect'))).code).toBe('HOOK_REFUSED');
  });
});
