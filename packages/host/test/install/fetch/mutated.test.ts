import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { PatchbayError } from 'patchbay-sdk';
import { expect, it } from 'vitest';
import { parseSource } from '../../../src/install/fetch/source.ts';
import { stage } from '../../../src/install/fetch/stage.ts';
import { filesOf } from '../../../src/install/integrity.ts';
import { put, scratch, tree } from './scratch.ts';
import { checked, entryOf, type TarItem, tarOf } from './tar-file.ts';
import { zipOf } from './zip-file.ts';

const items = [
  { path: 'top/plugin.json', content: '{"name":"x"}' },
  { path: 'top/lib/index.js', content: 'export default 1;\n'.repeat(40) },
  { path: 'top/run.sh', content: '#!/bin/sh\n', mode: 0o755 },
  { path: 'top/a/b/c.txt', content: 'c' },
];
const limits = { bytes: 1024 * 1024, fileBytes: 256 * 1024, entries: 200 };

/** Names as long as those above, so that they can be put in their place. */
const hostile = [
  '../../../../evil',
  '/tmp/pb-evil',
  'top/../../evil',
  '..\\..\\evil',
  'C:/evil',
  'top/lib',
  'NUL',
  '\0',
];
const kinds = ['SymbolicLink', 'Link', 'Directory', 'CharacterDevice', 'FIFO', 'File'] as const;

type Change = (content: Buffer) => Buffer;
const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Changes that know nothing of the format. */
const blind: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(at, fc.nat(255)).map(([where, byte]) => (content: Buffer) => {
    const copy = Buffer.from(content);
    if (copy.length > 0) copy.writeUInt8(byte, Math.floor(where * copy.length));
    return copy;
  }),
  at.map((where) => (content: Buffer) => content.subarray(0, Math.floor(where * content.length))),
  fc.tuple(at, fc.uint8Array({ maxLength: 600 })).map(([where, more]) => (content: Buffer) => {
    const place = Math.floor(where * content.length);
    return Buffer.concat([content.subarray(0, place), more, content.subarray(place)]);
  }),
  fc.tuple(at, at).map(([one, other]) => (content: Buffer) => {
    const [from, to] = [one, other].map((where) => Math.floor(where * content.length)).sort((a, b) => a - b);
    return Buffer.concat([content.subarray(0, to), content.subarray(from)]);
  }),
  fc.tuple(at, fc.constantFrom(...hostile)).map(([where, name]) => (content: Buffer) => {
    const copy = Buffer.from(content);
    copy.write(name, Math.floor(where * copy.length));
    return copy;
  }),
);

/** Changes of a tar archive that keep its checksums right: of a byte of a header, or of what it says. */
const tarChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(at, fc.nat(511), fc.nat(255)).map(([where, place, byte]) => (content: Buffer) => {
    const copy = Buffer.from(content);
    const start = 512 * Math.floor((where * copy.length) / 512);
    if (start + 512 > copy.length) return copy;
    copy.writeUInt8(byte, start + place);
    checked(copy.subarray(start, start + 512));
    return copy;
  }),
  fc
    .tuple(fc.constantFrom(...hostile), fc.constantFrom(...kinds), fc.nat(3000), fc.boolean())
    .map(([path, type, size, first]) => (content: Buffer) => {
      const item: TarItem = { path, type, linkpath: type === 'File' ? '' : '../../evil', content: 'x', size };
      const parts = [entryOf(item), content];
      return Buffer.concat(first ? parts : parts.toReversed());
    }),
);

const zipChange: fc.Arbitrary<Change> = fc
  .tuple(fc.nat(45), fc.nat(255), fc.nat(3))
  .map(([place, byte, which]) => (content: Buffer) => {
    const copy = Buffer.from(content);
    let start = copy.indexOf('PK\x01\x02');
    for (let i = 0; i < which && start !== -1; i++) start = copy.indexOf('PK\x01\x02', start + 1);
    if (start !== -1 && start + place < copy.length) copy.writeUInt8(byte, start + place);
    return copy;
  });

const few = { minLength: 1, maxLength: 3 };
const apply = (changes: readonly Change[], content: Buffer) => changes.reduce((now, change) => change(now), content);
const archives = fc.oneof(
  fc
    .array(fc.oneof(blind, tarChange), few)
    .map((changes) => ({ name: 'a.tar', content: apply(changes, tarOf(items)) })),
  fc.array(fc.oneof(blind, tarChange), few).map((changes) => {
    return { name: 'a.tar.gz', content: gzipSync(apply(changes, tarOf(items))) };
  }),
  fc.array(blind, few).map((changes) => ({ name: 'a.tgz', content: apply(changes, gzipSync(tarOf(items))) })),
  fc.array(fc.oneof(blind, zipChange), few).map((changes) => {
    return { name: 'a.zip', content: apply(changes, zipOf(items)) };
  }),
);

it('of 1,200 damaged or hostile archives none writes outside, none crashes, and none is half there', async () => {
  let [taken, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(archives, async ({ name, content }) => {
      const outer = scratch();
      put(outer, [{ path: 'deep/er/still/canary', content: 'sings' }]);
      const file = join(outer, name);
      writeFileSync(file, content);
      const before = tree(outer);
      const into = join(outer, 'deep/er/still/into');
      try {
        await stage(parseSource(file, '/'), into, { limits, temp: join(outer, 'deep') });
        taken += 1;
        for (const { path, size } of await filesOf(into)) {
          expect(path).not.toMatch(/\\|\.\.|\p{Cc}/u);
          expect(size).toBeLessThanOrEqual(limits.fileBytes);
        }
        expect(tree(outer).filter((line) => !line.startsWith('deep/er/still/into/'))).toEqual(before);
      } catch (error) {
        if (!(error instanceof PatchbayError) || !['PACKAGE_UNSAFE', 'SOURCE_INVALID'].includes(error.code))
          throw error;
        refused += 1;
        expect(error.message).toContain(file);
        expect(tree(outer)).toEqual(before);
      }
      expect(existsSync('/tmp/pb-evil')).toBe(false);
    }),
    { numRuns: 1_200 },
  );
  // Both happen often, or the test would prove nothing.
  expect(Math.min(taken, refused)).toBeGreaterThan(50);
});

it('the archives that are changed would be taken if they were not', async () => {
  expect(gunzipSync(gzipSync(tarOf(items)))).toEqual(tarOf(items));
  for (const [name, content] of [
    ['a.tar', tarOf(items)],
    ['a.zip', zipOf(items)],
  ] as const) {
    const dir = scratch();
    writeFileSync(join(dir, name), content);
    await stage(parseSource(join(dir, name), '/'), join(dir, 'into'), { limits });
    expect(tree(join(dir, 'into'))).toHaveLength(7);
  }
});
