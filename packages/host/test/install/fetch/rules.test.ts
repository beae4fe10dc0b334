import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/install/fetch/policy.ts';
import { archives, kinds } from './kinds.ts';
import { bring, type Item, refusalOf, tree } from './scratch.ts';

const good: Item = { path: 'plugin.json', content: '{}' };
const names = Object.keys(kinds);
const make = (kind: string, items: readonly Item[]) => kinds[kind]?.(items) ?? '';
const files = (count: number, content = 'x') => Array.from({ length: count }, (_, i) => ({ path: `f${i}`, content }));

/** Names that no folder on this machine could have, so only archives can bring them. */
const impossible: [string, string, RegExp][] = [
  ['leads out at its start', '../evil', /leads out of the package/],
  ['leads out in its middle', 'a/../../evil', /leads out of the package/],
  ['leads out at its end', 'a/..', /leads out of the package/],
  ['is absolute', '/tmp/evil', /path is absolute/],
  ['has an empty part', 'a//evil', /empty part/],
  ['has a part that is a dot', 'a/./evil', /empty part/],
];

/** Names that this machine could hold. */
const possible: [string, string, RegExp][] = [
  ['has a backslash', '..\\evil', /backslash/],
  ['names a drive', 'C:evil', /names a drive/],
  ['has a line break', 'a\nb', /control character/],
  ['has an escape character', 'a\u001b[2Jb', /control character/],
  ['has a character that turns the writing round', 'a\u202eb', /cannot be shown/],
  ['has a character nobody sees', '.g\u200cit/x', /cannot be shown/],
  ['is a device on Windows', 'NUL', /reserved on Windows/],
  ['is a device on Windows, with an ending', 'a/com1.txt', /reserved on Windows/],
  ['is a device on Windows, for a folder', 'aux/x', /reserved on Windows/],
  ['has a colon, a second stream on Windows', 'a.txt:b', /Windows reserves/],
  ['ends with a dot', 'a./b', /Windows drops/],
  ['ends with a space', 'a ', /Windows drops/],
];

const collisions: [string, string, string][] = [
  ['differ in case only', 'README.md', 'readme.md'],
  ['differ in the case of a folder only', 'Lib/a', 'lib/b'],
  ['differ in how an accent is written', 'caf\u00e9', 'cafe\u0301'],
  ['differ in a letter that some systems write as two', 'stra\u00dfe', 'STRASSE'],
];

describe.each(archives)('a %s is refused if a name in it', (kind) => {
  it.each(impossible)('%s', async (_, path, why) => {
    const source = make(kind, [good, { path, content: 'x' }]);
    const error = await refusalOf(source);
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', exitCode: 2, file: source });
    expect(error.message).toMatch(why);
    expect(error.message).toContain(JSON.stringify(path));
    expect(error.message).toContain(source);
  });
});

describe.each(names)('a %s is refused', (kind) => {
  it.each(possible)('if a name in it %s', async (_, path, why) => {
    const error = await refusalOf(make(kind, [good, { path, content: 'x' }]));
    expect(error.code).toBe('PACKAGE_UNSAFE');
    expect(error.message).toMatch(why);
    expect(error.message).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  it.each(collisions)('if two names in it %s', async (_, one, other) => {
    const error = await refusalOf(
      make(kind, [
        { path: one, content: '1' },
        { path: other, content: '2' },
      ]),
    );
    expect(error.code).toBe('PACKAGE_UNSAFE');
    expect(error.message).toMatch(/on some systems it is the same as/);
  });

  it.each<[string, Item[], Partial<Limits>, RegExp]>([
    ['has too many entries', files(11), { entries: 10 }, /more than 10 entries/],
    ['has too many folders', [{ path: 'a/b/c/d/e/f' }], { entries: 5 }, /more than 5 entries/],
    ['has a file that is too large', files(1, 'x'.repeat(101)), { fileBytes: 100 }, /larger than 100 bytes/],
    ['is too large in all', files(3, 'x'.repeat(50)), { bytes: 100 }, /the package is larger than 100 bytes/],
    ['has a path that is too long', [{ path: `${'d/'.repeat(10)}f` }], { pathBytes: 20 }, /longer than 20 bytes/],
    ['is too deep', [{ path: 'a/b/c/d' }], { depth: 3 }, /deeper than 3 folders/],
  ])('if it %s', async (_, items, limits, why) => {
    const error = await refusalOf(make(kind, items), { limits });
    expect(error.code).toBe('PACKAGE_UNSAFE');
    expect(error.message).toMatch(why);
  });

  it('if there are no files in it', async () => {
    const error = await refusalOf(make(kind, []));
    expect(error.code).toBe('SOURCE_INVALID');
    expect(error.message).toMatch(/no files in it|not a whole/);
  });
});

describe.each(names)('a %s', (kind) => {
  it('may reach every limit', async () => {
    const limits = { entries: 5, fileBytes: 3, bytes: 9, pathBytes: 5, depth: 3 };
    const items = [{ path: 'a/b/c', content: '123' }, ...files(1, '123'), { path: 'g', content: '123' }];
    const { dir } = await bring(make(kind, items), { limits });
    expect(tree(dir)).toHaveLength(5);
  });

  it('gives files the mode 0644 or 0755 and folders 0755, whatever they had and whatever the umask', async () => {
    const source = make(kind, [
      { path: 'a/plain', content: '1', mode: 0o600 },
      { path: 'a/open', content: '2', mode: 0o666 },
      { path: 'run.sh', content: '3', mode: 0o744 },
    ]);
    const umask = process.umask(0o077);
    try {
      const { dir } = await bring(source);
      expect(tree(dir)).toEqual(['a/: 755', 'a/open: 644 2', 'a/plain: 644 1', 'run.sh: 755 3']);
    } finally {
      process.umask(umask);
    }
  });

  it('keeps names in any script', async () => {
    const { dir } = await bring(make(kind, [{ path: '日本/été.md', content: 'ok' }, good]));
    expect(tree(dir)).toContain('日本/été.md: 644 ok');
  });
});

describe.each(archives)('a %s', (kind) => {
  it('loses its one top folder', async () => {
    const { dir } = await bring(
      make(kind, [
        { path: 'package/a/b', content: '1' },
        { path: 'package/c', content: '2' },
      ]),
    );
    expect(tree(dir)).toEqual(['a/: 755', 'a/b: 644 1', 'c: 644 2']);
  });

  it('loses one top folder only, even if it holds another of the same name', async () => {
    const { dir } = await bring(make(kind, [{ path: 'x/x/x', content: '1' }]));
    expect(tree(dir)).toEqual(['x/: 755', 'x/x: 644 1']);
  });

  it('keeps its top folders if there are two, or a file beside one', async () => {
    const two = await bring(make(kind, [{ path: 'a/x' }, { path: 'b/x' }]));
    expect(tree(two.dir)).toHaveLength(4);
    const beside = await bring(make(kind, [{ path: 'a/x' }, { path: 'b' }]));
    expect(tree(beside.dir)).toHaveLength(3);
  });

  it('is refused if it has a name twice, or a file where a folder must be', async () => {
    const twice = await refusalOf(make(kind, [{ path: 'a' }, { path: 'a' }]));
    expect(twice.message).toMatch(/two of this name/);
    const under = await refusalOf(make(kind, [{ path: 'a' }, { path: 'a/b' }]));
    expect(under.message).toMatch(/"a" is a file, and cannot hold it/);
    const over = await refusalOf(make(kind, [{ path: 'a/b' }, { path: 'a' }]));
    expect(over.message).toMatch(/two of this name/);
  });
});
