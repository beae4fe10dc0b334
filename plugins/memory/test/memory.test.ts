import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { SqliteMemory } from '../index.ts';

const dirs: string[] = [];
const opened: SqliteMemory[] = [];

afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close();
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-memory-'));
  dirs.push(dir);
  return dir;
}

function open(dir = folder(), clock = { now: Date.parse('2026-01-01T00:00:00Z') }) {
  const memory = new SqliteMemory({ dir, now: () => new Date(clock.now), conversationCount: 3 });
  opened.push(memory);
  return { memory, dir, clock };
}

const keysOf = (found: readonly { key: string }[]) => found.map(({ key }) => key);

describe('save and recall', () => {
  it('finds what was saved, the best match first', async () => {
    const { memory } = open();
    await memory.save('home', 'tea', 'green tea, twice a day', 'core', { by: 'ada' });
    await memory.save('home', 'coffee', 'coffee once, tea never, coffee again, and much else that is not tea', 'core');
    const found = await memory.recall('home', 'tea');
    expect(keysOf(found)).toEqual(['tea', 'coffee']);
    expect(found[0]).toMatchObject({ content: 'green tea, twice a day', category: 'core', metadata: { by: 'ada' } });
    expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 0);
  });

  it('replaces an entry of the same key, and keeps what it said before', async () => {
    const { memory, clock } = open();
    expect(await memory.save('home', 'door', 'the code is 1234')).toMatchObject({ updated: false });
    clock.now += 1000;
    expect(await memory.save('home', 'door', 'the code is 9876')).toMatchObject({ updated: true });
    expect(keysOf(await memory.recall('home', '1234'))).toEqual([]);
    expect(keysOf(await memory.recall('home', '9876'))).toEqual(['door']);
    await memory.forget('home', 'door');
    expect((await memory.history('home', 'door')).map(({ content }) => content)).toEqual([
      'the code is 9876',
      'the code is 1234',
    ]);
  });

  it('keeps everything when it is opened again', async () => {
    const { memory, dir } = open();
    await memory.save('home', 'a', 'apple');
    await memory.close();
    expect(keysOf(await open(dir).memory.recall('home', 'apple'))).toEqual(['a']);
  });

  it('sees what another process saves', async () => {
    const { memory, dir } = open();
    const other = open(dir).memory;
    await memory.save('home', 'a', 'apple');
    await other.save('home', 'b', 'apple pie');
    expect(keysOf(await memory.recall('home', 'apple')).sort()).toEqual(['a', 'b']);
  });

  it.each([
    ['東京タワー', '東京タワーは高い', 'a CJK word of five characters'],
    ['東京', '東京タワーは高い', 'a CJK word of two characters'],
    ['🚀', 'the launch 🚀 is on Friday', 'an emoji'],
    ['AND', 'this AND that', 'an operator'],
    ['"quoted', 'a "quoted" thing', 'a quote that is not closed'],
    ['C++', 'we write C++ here', 'a sign after a word'],
    ['100%', 'done to 100% at last', 'a sign of LIKE'],
    ['naïve', 'a naive approach', 'an accent'],
    ['aunch', 'the launch is on Friday', 'a part of a word'],
  ])('finds %s in %s: %s', async (query, content) => {
    const { memory } = open();
    await memory.save('home', 'it', content);
    await memory.save('home', 'other', 'nothing of the kind');
    expect(keysOf(await memory.recall('home', query))).toEqual(['it']);
  });

  it('takes any text as a query', async () => {
    const { memory } = open();
    await memory.save('home', 'a', 'some words: NEAR(a b), "x" OR y* {col}: ^z -東京タワー 🚀');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (query) => {
        expect(Array.isArray(await memory.recall('home', query))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('finds every saved text by each of its words', async () => {
    const { memory } = open();
    const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.array(word, { minLength: 1, maxLength: 5 }), async (group, words) => {
        await memory.save(group, 'it', words.join(' '));
        for (const one of words) expect(keysOf(await memory.recall(group, one))).toEqual(['it']);
      }),
      { numRuns: 30 },
    );
  });
});

describe('groups', () => {
  it('see nothing of each other', async () => {
    const { memory } = open();
    await memory.save('a', 'k', 'of a');
    await memory.save('b', 'k', 'of b');
    expect(keysOf(await memory.recall('a', 'of'))).toEqual(['k']);
    expect((await memory.recall('a', 'of'))[0]).toMatchObject({ content: 'of a' });
    await memory.forget('a', 'k');
    expect(await memory.recall('a', 'of')).toEqual([]);
    expect(keysOf(await memory.listKeys('b'))).toEqual(['k']);
  });

  it('do not change how another one is ranked', async () => {
    const fill = async (memory: SqliteMemory) => {
      await memory.save('mine', 'long', 'rare and a lot of other words that make this text longer than the others');
      await memory.save('mine', 'short', 'common');
      await memory.save('mine', 'both', 'common and rare');
      return (await memory.recall('mine', 'common rare')).map(({ key, score }) => [key, score]);
    };
    const alone = await fill(open().memory);
    const { memory } = open();
    for (let i = 0; i < 50; i++) await memory.save('others', `k${i}`, 'rare rare rare');
    expect(await fill(memory)).toEqual(alone);
  });

  it.each(['../up', 'a/b', '..', '.', 'CON', 'ünïcode', 'x'.repeat(300), '\ud800'])(
    'may be called %j',
    async (group) => {
      const { memory, dir } = open();
      await memory.save(group, 'k', 'text');
      expect(keysOf(await memory.recall(group, 'text'))).toEqual(['k']);
      expect(readdirSync(dir).filter((name) => name.endsWith('.db'))).toHaveLength(1);
    },
  );

  it('are many, with few files open', async () => {
    const { memory } = open();
    for (let i = 0; i < 150; i++) await memory.save(`g${i}`, 'k', `text ${i}`);
    for (let i = 0; i < 150; i++) expect(await memory.recall(`g${i}`, `${i}`)).toHaveLength(1);
  });
});

describe('categories', () => {
  it('core is kept, daily is gone after a day, conversation is archived after a week', async () => {
    const { memory, clock } = open();
    await memory.save('home', 'c', 'apple core', 'core');
    await memory.save('home', 'd', 'apple daily', 'daily');
    await memory.save('home', 'v', 'apple conversation', 'conversation');
    clock.now += 25 * 3_600_000;
    expect(keysOf(await memory.recall('home', 'apple')).sort()).toEqual(['c', 'v']);
    clock.now += 7 * 24 * 3_600_000;
    expect(keysOf(await memory.recall('home', 'apple'))).toEqual(['c']);
    expect(keysOf(await memory.listKeys('home'))).toEqual(['c']);
    expect((await memory.export('home')).map(({ key, archived }) => [key, archived])).toEqual([
      ['c', false],
      ['v', true],
    ]);
  });

  it('archives the oldest of a conversation when there are too many', async () => {
    const { memory, clock } = open();
    for (let i = 1; i <= 5; i++) {
      clock.now += 1000;
      await memory.save('home', `v${i}`, 'said', 'conversation');
    }
    expect(keysOf(await memory.listKeys('home', 'conversation'))).toEqual(['v5', 'v4', 'v3']);
  });

  it('filter what is recalled and listed', async () => {
    const { memory } = open();
    await memory.save('home', 'c', 'apple', 'core');
    await memory.save('home', 'd', 'apple', 'daily');
    expect(keysOf(await memory.recall('home', 'apple', 'daily'))).toEqual(['d']);
    expect(keysOf(await memory.listKeys('home', 'core'))).toEqual(['c']);
  });

  it('an archived entry that is saved again is found again', async () => {
    const { memory, clock } = open();
    await memory.save('home', 'v', 'apple', 'conversation');
    clock.now += 8 * 24 * 3_600_000;
    expect(await memory.recall('home', 'apple')).toEqual([]);
    await memory.save('home', 'v', 'apple', 'core');
    expect(keysOf(await memory.recall('home', 'apple'))).toEqual(['v']);
  });
});

describe('list, export and import', () => {
  it('lists the last changed first, in pages', async () => {
    const { memory, clock } = open();
    for (const key of ['a', 'b', 'c', 'd']) {
      clock.now += 1000;
      await memory.save('home', key, 'text');
    }
    expect(keysOf(await memory.listKeys('home'))).toEqual(['d', 'c', 'b', 'a']);
    expect(keysOf(await memory.listKeys('home', null, { limit: 2, offset: 1 }))).toEqual(['c', 'b']);
  });

  it('takes an export in, all of it or nothing', async () => {
    const { memory } = open();
    await memory.save('from', 'a', 'apple', 'core', { n: 1 });
    const entries = await memory.export('from');
    expect(await memory.import('to', entries)).toBe(1);
    expect(await memory.recall('to', 'apple')).toMatchObject([{ key: 'a', metadata: { n: 1 } }]);
    const bad = [
      { ...entries[0], key: 'b' },
      { ...entries[0], key: '' },
    ] as typeof entries;
    await expect(memory.import('to', bad)).rejects.toThrow('"key" must be');
    expect(keysOf(await memory.listKeys('to'))).toEqual(['a']);
  });
});

describe('what cannot be', () => {
  it.each([
    [(m: SqliteMemory) => m.save('g', '', 'x'), '"key" must be'],
    [(m: SqliteMemory) => m.save('g', 'k', ''), '"content" must be'],
    [(m: SqliteMemory) => m.save('g', 'k', 'x'.repeat(300_000)), '"content" is longer'],
    [(m: SqliteMemory) => m.save('g', 'k', 'x', 'weekly' as never), '"category" must be core, daily, conversation'],
    [(m: SqliteMemory) => m.recall('g', 'x', null, 0), '"limit" must be'],
    [(m: SqliteMemory) => m.recall('g', 'x', null, 1.5), '"limit" must be'],
    [(m: SqliteMemory) => m.recall('g', 7 as never), '"query" must be'],
    [(m: SqliteMemory) => m.save('', 'k', 'x'), 'the group must have a name'],
  ])('is refused, with what is wrong: %#', async (act, message) => {
    await expect(act(open().memory)).rejects.toThrow(message);
  });

  it('a group without entries answers nothing, and leaves no file', async () => {
    const { memory, dir } = open();
    expect(await memory.recall('none', 'x')).toEqual([]);
    expect(await memory.listKeys('none')).toEqual([]);
    expect(await memory.forget('none', 'k')).toEqual({ key: 'k', forgotten: false });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('a file that is no memory is left as it is', async () => {
    const { memory, dir } = open();
    writeFileSync(join(dir, 'home.db'), 'my diary');
    await expect(memory.save('home', 'k', 'x')).rejects.toThrow(/not a database/);
    expect(readdirSync(dir)).toEqual(['home.db']);
  });
});
