import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesOf, integrityOf } from '../../../src/install/integrity.ts';
import { failureOf, type Item, put, scratch } from './scratch.ts';

const items: Item[] = [
  { path: 'b.txt', content: 'b' },
  { path: 'a/z', content: 'run', mode: 0o755 },
  { path: 'a.txt', content: '' },
];

describe('the integrity of a folder', () => {
  it('is sha512 over path, run bit, length and content of each file, by the bytes of the path', async () => {
    const text = '5 a.txt - 0\n3 a/z x 3\nrun5 b.txt - 1\nb';
    const expected = `sha512-${createHash('sha512').update(text).digest('base64')}`;
    expect(await integrityOf(scratch(items))).toBe(expected);
    expect(await integrityOf(scratch(items.toReversed()))).toBe(expected);
  });

  it.each<[string, (dir: string) => void]>([
    ['content', (dir) => writeFileSync(join(dir, 'b.txt'), 'c')],
    ['length', (dir) => writeFileSync(join(dir, 'b.txt'), 'bb')],
    ['name', (dir) => renameSync(join(dir, 'b.txt'), join(dir, 'c.txt'))],
    ['run bit', (dir) => chmodSync(join(dir, 'b.txt'), 0o755)],
    ['folder', (dir) => renameSync(join(dir, 'a'), join(dir, 'c'))],
    ['number of files', (dir) => writeFileSync(join(dir, 'c'), '')],
    ['hidden files', (dir) => writeFileSync(join(dir, '.hidden'), '')],
    ['node_modules', (dir) => put(dir, [{ path: 'node_modules/x', content: '' }])],
    ['.git', (dir) => put(dir, [{ path: '.git/x', content: '' }])],
  ])('changes with the %s of a file in it', async (_, change) => {
    const dir = scratch(items);
    const before = await integrityOf(dir);
    change(dir);
    expect(await integrityOf(dir)).not.toBe(before);
  });

  it('does not change with times, other mode bits and empty folders', async () => {
    const dir = scratch(items);
    const before = await integrityOf(dir);
    utimesSync(join(dir, 'b.txt'), 1, 1);
    chmodSync(join(dir, 'b.txt'), 0o600);
    chmodSync(join(dir, 'a/z'), 0o700);
    mkdirSync(join(dir, 'empty'));
    expect(await integrityOf(dir)).toBe(before);
  });

  it('differs for any two packages that differ, however their names and contents run together', async () => {
    const texts = fc.constantFrom('', ' ', '\n', '1', ' - 0\n', '1 a - 1\n', '1 a - 1\nb', 'a', '3 a/b - 0\n');
    const files = fc.dictionary(fc.constantFrom('a', 'b', 'a b', 'a - 1', 'c/a', '1 a'), texts, {
      minKeys: 1,
      maxKeys: 4,
    });
    const seen = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(files, async (entries) => {
        const dir = scratch(Object.entries(entries).map(([path, content]) => ({ path, content })));
        const integrity = await integrityOf(dir);
        const text = JSON.stringify(Object.entries(entries).sort());
        expect(seen.get(integrity) ?? text).toBe(text);
        seen.set(integrity, text);
      }),
      { numRuns: 200 },
    );
    expect(seen.size).toBeGreaterThan(50);
  });

  it('covers files of every length up to and over what is read at once', async () => {
    const edge = 256 * 1024;
    for (const size of [edge - 1, edge, edge + 1, 2 * edge, 3 * edge + 5]) {
      const content = Buffer.alloc(size, 'abc');
      const text = Buffer.concat([Buffer.from(`1 f - ${size}\n`), content]);
      expect(await integrityOf(scratch([{ path: 'f', content }]))).toBe(
        `sha512-${createHash('sha512').update(text).digest('base64')}`,
      );
    }
  });

  it('of an empty folder is that of nothing', async () => {
    expect(await integrityOf(scratch())).toBe(`sha512-${createHash('sha512').digest('base64')}`);
  });

  it('lets other work have its turn', async () => {
    const dir = scratch();
    for (let i = 0; i < 8; i++) writeFileSync(join(dir, `f${i}`), Buffer.alloc(8 * 1024 * 1024, i));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await integrityOf(dir);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  it.each<[string, (dir: string) => void, string]>([
    ['a link', (dir) => symlinkSync('b.txt', join(dir, 'a/odd')), 'PACKAGE_UNSAFE'],
    ['a link to a folder', (dir) => symlinkSync('.', join(dir, 'a/odd')), 'PACKAGE_UNSAFE'],
    ['a named pipe', (dir) => execFileSync('mkfifo', [join(dir, 'a/odd')]), 'PACKAGE_UNSAFE'],
  ])('is refused if there is %s in it', async (_, spoil, code) => {
    const dir = scratch(items);
    spoil(dir);
    for (const act of [integrityOf, filesOf]) {
      const error = await failureOf(() => act(dir));
      expect(error).toMatchObject({ code, file: join(dir, 'a/odd') });
      expect(error.message).toContain('a/odd');
    }
  });

  it('is refused if there is no such folder', async () => {
    const error = await failureOf(() => integrityOf('/nothing/there'));
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('/nothing/there') });
  });
});

it('the files of a folder are listed with size and run bit, by the bytes of their paths', async () => {
  const dir = scratch([...items, { path: '\uFF5E' }, { path: '\u{1F600}' }]);
  expect(await filesOf(dir)).toEqual([
    { path: 'a.txt', size: 0, run: false },
    { path: 'a/z', size: 3, run: true },
    { path: 'b.txt', size: 1, run: false },
    { path: '\uFF5E', size: 0, run: false },
    { path: '\u{1F600}', size: 0, run: false },
  ]);
});
