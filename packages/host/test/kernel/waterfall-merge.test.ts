import type { Merged } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { newRecord } from '../../src/kernel/index.ts';
import { errorOf, type Seen, Stage, tiers, turn } from './fixture.ts';

interface Doc {
  readonly words: readonly string[];
}
const add =
  (word: string) =>
  ({ words }: Doc): Doc => ({ words: [...words, word] });

describe.each(tiers)('a waterfall (%s)', (tier) => {
  it('hands what one handler answers to the next, and gives the last', () => {
    const stage = new Stage(tier);
    for (const name of ['c', 'b', 'a']) stage.add(name, 'waterfall', add(name));
    expect(stage.call('waterfall', { words: [] })).toEqual({ words: ['a', 'b', 'c'] });
    expect(stage.sync('waterfall', { words: ['x'] })).toEqual({ words: ['x', 'a', 'b', 'c'] });
  });

  it('keeps the payload of those who answer null or nothing', () => {
    const stage = new Stage(tier);
    const payload = { words: [] };
    const record = newRecord();
    stage.add('a', 'waterfall', () => null);
    stage.speaker('b', 'waterfall');
    stage.add('c', 'waterfall', async () => null);
    expect(stage.sync('waterfall', payload)).toBe(payload);
    expect(stage.failures.map(({ code }) => code)).toEqual(['HANDLER_ASYNC']);
    stage.call('waterfall', payload, { record });
    expect(record.changes).toEqual([]);
  });

  it('gives the payload itself where there is nobody', () => {
    const payload = { words: [] };
    expect(new Stage(tier).call('waterfall', payload)).toBe(payload);
  });

  it('passes over one that fails: the next gets what was there before', () => {
    const stage = new Stage(tier);
    stage.add('c', 'waterfall', add('c'));
    stage.add('b', 'waterfall', () => {
      throw new Error('no');
    });
    stage.add('a', 'waterfall', add('a'));
    expect(stage.call('waterfall', { words: [] })).toEqual({ words: ['a', 'c'] });
    expect(stage.told).toEqual(['b HANDLER_FAILED']);
  });

  it('passes over one that answers what the hook does not allow', () => {
    const stage = new Stage(tier);
    stage.add('b', 'counted', ({ n }: { n: number }) => ({ n: n + 1 }));
    stage.add('a', 'counted', () => ({ n: 'many' }));
    expect(stage.call('counted', { n: 1 })).toEqual({ n: 2 });
    expect(stage.told).toEqual(['a HANDLER_ANSWER']);
  });

  it('mixes handlers that wait with others', async () => {
    const stage = new Stage(tier);
    stage.add('e', 'waterfall', async (doc: Doc) => add('e')(doc));
    stage.add('d', 'waterfall', add('d'));
    stage.add('c', 'waterfall', () => Promise.reject(new Error('no')));
    stage.add('b', 'waterfall', async (doc: Doc) => {
      await turn();
      return add('b')(doc);
    });
    stage.add('a', 'waterfall', add('a'));
    expect(await stage.call('waterfall', { words: [] })).toEqual({ words: ['a', 'b', 'd', 'e'] });
  });

  it('writes down who changed what, in order, before and after', async () => {
    const stage = new Stage(tier);
    const record = newRecord();
    stage.add('d', 'waterfall', async (doc: Doc) => add('d')(doc));
    stage.add('c', 'waterfall', () => null);
    stage.add('b', 'waterfall', add('b'), { id: 'the-b' });
    stage.add('a', 'waterfall', (doc: Doc) => doc);
    const before = { words: [] };
    const result = await stage.call('waterfall', before, { record });
    expect(record.changes).toEqual([
      { plugin: 'b', handler: 'the-b', before: { words: [] }, after: { words: ['b'] } },
      { plugin: 'd', handler: 'd#1', before: { words: ['b'] }, after: { words: ['b', 'd'] } },
    ]);
    expect(record.changes[0]?.before).toBe(before);
    expect(record.changes[1]?.before).toBe(record.changes[0]?.after);
    expect(record.changes[1]?.after).toBe(result);
  });

  it('keeps the record of one call apart from that of another', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'waterfall', async (doc: Doc) => add('a')(doc));
    const [one, two] = [newRecord(), newRecord()];
    await Promise.all([
      stage.call('waterfall', { words: ['1'] }, { record: one }),
      stage.call('waterfall', { words: ['2'] }, { record: two }),
    ]);
    expect(one.changes.map(({ after }) => after)).toEqual([{ words: ['1', 'a'] }]);
    expect(two.changes.map(({ after }) => after)).toEqual([{ words: ['2', 'a'] }]);
  });

  it('gives the same with a record as without', () => {
    const stage = new Stage(tier);
    stage.add('b', 'waterfall', add('b'));
    stage.add('a', 'waterfall', add('a'));
    const record = newRecord();
    const payload = { words: [] };
    expect(stage.call('waterfall', payload, { record })).toEqual(stage.call('waterfall', payload));
    expect(record.answers.map(({ plugin }) => plugin)).toEqual(['a', 'b']);
  });

  it('writes down what wrappers change too', async () => {
    for (const wait of [false, true]) {
      const stage = new Stage(tier);
      const record = newRecord();
      const wrapper =
        async () =>
        async ({ result }: Seen<Doc>) =>
          add('w')(result);
      const sync =
        () =>
        ({ result }: Seen<Doc>) =>
          add('w')(result);
      stage.add('a', 'waterfall', add('a'));
      stage.put({ name: 'w', handlers: [{ hook: 'waterfall', wrapper: wait ? wrapper : sync, id: 'the-w' }] });
      const result = await stage.call('waterfall', { words: [] }, { record });
      expect(result).toEqual({ words: ['a', 'w'] });
      expect(record.changes).toEqual([
        { plugin: 'a', handler: 'a#1', before: { words: [] }, after: { words: ['a'] } },
        { plugin: 'w', handler: 'the-w', before: { words: ['a'] }, after: { words: ['a', 'w'] } },
      ]);
    }
  });

  it('freezes every payload that is put in place, by wrappers too', () => {
    const stage = new Stage(tier);
    const seen: Doc[] = [];
    stage.add('b', 'waterfall', (doc: Doc) => void seen.push(doc));
    stage.add('a', 'waterfall', add('a'));
    stage.wrap('w', 'waterfall', () => ({ result }: Seen<Doc>) => {
      seen.push(result);
      return { words: ['w'] };
    });
    seen.push(stage.sync('waterfall', { words: [] }) as Doc);
    expect(seen).toEqual([{ words: ['a'] }, { words: ['a'] }, { words: ['w'] }]);
    for (const doc of seen) expect(Object.isFrozen(doc) && Object.isFrozen(doc.words)).toBe(true);
  });

  it('freezes nothing where the hook says so, and still writes changes down', () => {
    const stage = new Stage(tier);
    const record = newRecord();
    stage.add('b', 'looseWaterfall', (doc: { words: string[] }) => void doc.words.push('b'));
    stage.add('a', 'looseWaterfall', add('a'));
    const payload = { words: [] };
    const result = stage.call('looseWaterfall', payload, { record });
    expect(result).toEqual({ words: ['a', 'b'] });
    expect(Object.isFrozen(result) || Object.isFrozen(payload)).toBe(false);
    expect(record.changes).toEqual([expect.objectContaining({ plugin: 'a', before: payload, after: result })]);
  });

  it('that is closed lets verdicts pass that let pass, without a change', async () => {
    const stage = new Stage(tier);
    const record = newRecord();
    stage.add('b', 'closedWaterfall', ({ n }: { n: number }) => ({ n: n + 1 }));
    stage.add('a', 'closedWaterfall', () => ({ verdict: 'warn' }));
    expect(stage.call('closedWaterfall', { n: 1 }, { record })).toEqual({ n: 2 });
    expect(record.changes.map(({ plugin }) => plugin)).toEqual(['b']);
    stage.add('no', 'closedWaterfall', () => ({ verdict: 'block' }), { trylast: true });
    expect((await errorOf(() => stage.call('closedWaterfall', { n: 1 }))).plugin).toBe('no');
  });
});

describe.each(tiers)('a merge (%s)', (tier) => {
  const merge = (stage: Stage) => stage.sync('merge') as Merged<unknown>;

  it('makes one object of many, and says whose each key is', () => {
    const stage = new Stage(tier);
    stage.add('a', 'merge', () => ({ x: 1 }));
    stage.add('b', 'merge', () => ({ y: 2, z: 3 }));
    expect(merge(stage)).toEqual({
      entries: { x: 1, y: 2, z: 3 },
      owners: { x: 'a', y: 'b', z: 'b' },
      conflicts: [],
    });
  });

  it('lets the plugin registered last win, whatever the order of the calls', () => {
    const stage = new Stage(tier);
    stage.add('a', 'merge', () => ({ k: 'a' }), { tryfirst: true });
    stage.add('b', 'merge', () => ({ k: 'b' }), { trylast: true });
    stage.put({ name: 'c', dialect: 'pynchy', handlers: [{ hook: 'merge', handler: () => ({ k: 'c' }) }] });
    expect(merge(stage)).toEqual({
      entries: { k: 'c' },
      owners: { k: 'c' },
      conflicts: [{ key: 'k', winner: 'c', losers: ['b', 'a'] }],
    });
  });

  it('gives a key back to the one before when its winner goes', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'merge', () => ({ k: 'a' }));
    const b = stage.add('b', 'merge', () => ({ k: 'b' }));
    expect(merge(stage).owners).toEqual({ k: 'b' });
    await b.dispose();
    expect(merge(stage)).toEqual({ entries: { k: 'a' }, owners: { k: 'a' }, conflicts: [] });
  });

  it('tells of each conflict by its key, and of no other key', () => {
    const stage = new Stage(tier);
    stage.add('a', 'merge', () => ({ x: 1, y: 1 }));
    stage.add('b', 'merge', () => ({ y: 2, z: 2 }));
    stage.add('c', 'merge', () => ({ z: 3, w: 3 }));
    const { entries, conflicts } = merge(stage);
    expect(entries).toEqual({ x: 1, y: 2, z: 3, w: 3 });
    expect(conflicts.toSorted((one, two) => (one.key < two.key ? -1 : 1))).toEqual([
      { key: 'y', winner: 'b', losers: ['a'] },
      { key: 'z', winner: 'c', losers: ['b'] },
    ]);
  });

  it('does not call it a conflict when one plugin gives a key twice; its last handler wins', () => {
    const stage = new Stage(tier);
    stage.put({
      name: 'a',
      handlers: [
        { hook: 'merge', handler: () => ({ k: 1 }), tryfirst: true },
        { hook: 'merge', handler: () => ({ k: 2 }) },
      ],
    });
    expect(merge(stage)).toEqual({ entries: { k: 2 }, owners: { k: 'a' }, conflicts: [] });
  });

  it('is safe with the names that every object has', () => {
    const stage = new Stage(tier);
    const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
    const gift = (owner: string) => () => JSON.parse(`{${keys.map((key) => `"${key}":"${owner}"`).join()}}`);
    stage.add('a', 'merge', gift('a'));
    expect(merge(stage).conflicts).toEqual([]);
    stage.add('b', 'merge', gift('b'));
    const { entries, owners, conflicts } = merge(stage);
    expect(Object.keys(entries).toSorted()).toEqual(keys.toSorted());
    for (const key of keys) expect([entries[key], owners[key]]).toEqual(['b', 'b']);
    expect(conflicts.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    expect([Object.getPrototypeOf(entries), Object.getPrototypeOf(owners)]).toEqual([null, null]);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
    expect({}.toString).not.toBe('b');
  });

  it('takes null and undefined for values, and falsy keys for keys', () => {
    const stage = new Stage(tier);
    stage.add('a', 'merge', () => ({ '': 1, n: null, u: undefined }));
    stage.add('b', 'merge', () => ({ n: 2 }));
    expect(merge(stage)).toEqual({
      entries: { '': 1, n: 2, u: undefined },
      owners: { '': 'a', n: 'b', u: 'a' },
      conflicts: [{ key: 'n', winner: 'b', losers: ['a'] }],
    });
  });

  it('gives empty objects where nobody gives anything', () => {
    const stage = new Stage(tier);
    expect(merge(stage)).toEqual({ entries: {}, owners: {}, conflicts: [] });
    stage.add('a', 'merge', () => null);
    stage.add('b', 'merge', () => ({}));
    expect(merge(stage)).toEqual({ entries: {}, owners: {}, conflicts: [] });
  });

  it('leaves out one that fails or gives what the hook does not allow', () => {
    const stage = new Stage(tier);
    stage.add('a', 'numbers', () => ({ k: 1 }));
    stage.add('b', 'numbers', () => ({ k: 'two' }));
    stage.add('c', 'numbers', () => {
      throw new Error('no');
    });
    expect(stage.call('numbers')).toEqual({ entries: { k: 1 }, owners: { k: 'a' }, conflicts: [] });
    expect(stage.told).toEqual(['c HANDLER_FAILED', 'b HANDLER_ANSWER']);
  });

  it('mixes handlers that wait with others, without a change of who wins', async () => {
    const stage = new Stage(tier);
    stage.add('a', 'merge', async () => ({ k: 'a', a: 1 }));
    stage.add('b', 'merge', () => ({ k: 'b', b: 1 }));
    stage.add('c', 'merge', async () => {
      await turn();
      return { k: 'c' };
    });
    stage.add('d', 'merge', () => Promise.reject(new Error('no')));
    const result = stage.call('merge');
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual({
      entries: { k: 'c', a: 1, b: 1 },
      owners: { k: 'c', a: 'a', b: 'b' },
      conflicts: [{ key: 'k', winner: 'c', losers: ['b', 'a'] }],
    });
  });

  it('writes down what everybody gave, in the order of the calls', () => {
    const stage = new Stage(tier);
    const record = newRecord();
    stage.add('a', 'merge', () => ({ k: 1 }), { tryfirst: true });
    stage.add('b', 'merge', () => ({ k: 2 }));
    stage.call('merge', {}, { record });
    expect(record.answers).toEqual([
      { plugin: 'a', handler: 'a#1', answer: { k: 1 } },
      { plugin: 'b', handler: 'b#1', answer: { k: 2 } },
    ]);
  });
});
