import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { archive } from './kinds.ts';
import { bring, refusalOf, scratch, tree } from './scratch.ts';
import { type ZipItem, zipOf } from './zip-file.ts';

const good: ZipItem = { path: 'plugin.json', content: '{}' };
const zip = (...items: ZipItem[]) => archive('package.zip', zipOf(items));

describe('a zip archive is refused if an entry', () => {
  it.each<[string, ZipItem, RegExp]>([
    ['is a link', { path: 'a', content: '../../etc/passwd', kind: 0o120000 }, /it is a link/],
    ['is a link inside of the package', { path: 'a', content: 'plugin.json', kind: 0o120000 }, /it is a link/],
    ['is a device', { path: 'a', kind: 0o020000 }, /neither a file nor a folder/],
    ['is a named pipe', { path: 'a', kind: 0o010000 }, /neither a file nor a folder/],
    ['is a socket', { path: 'a', kind: 0o140000 }, /neither a file nor a folder/],
    ['has a NUL in its name', { path: 'a\0b' }, /control character/],
    ['has a name that is no UTF-8', { path: 'a', rawName: Buffer.from([0x61, 0xff]) }, /cannot be shown/],
    ['has no name', { path: '' }, /file without a name/],
    ['is a folder and a file', { path: 'a/', kind: 0o100000 }, /both a file and a folder/],
    ['is a folder with content', { path: 'a/', content: 'x' }, /both a file and a folder/],
    ['is encrypted', { path: 'a', content: 'x', flags: 0x801 }, /encrypted/],
    ['is compressed in another way', { path: 'a', content: 'x', method: 12 }, /compressed in a way/],
    ['has another name before its content', { path: 'a', localName: 'b', content: 'x' }, /another name/],
    ['unpacks to more than it claims', { path: 'a', content: 'x'.repeat(5000), size: 10 }, /more than the 10 bytes/],
    ['unpacks to more than nothing', { path: 'a', content: 'xx', size: 0 }, /more than the 0 bytes/],
    ['claims to be too large', { path: 'a', content: 'x', size: 2 ** 31 }, /larger than 26214400/],
    ['is far larger packed than unpacked', { path: 'a', content: 'x', packedSize: 5000 }, /larger packed/],
  ])('%s', async (_, item, why) => {
    const error = await refusalOf(zip(good, item, { path: 'z', content: randomBytes(10_000), method: 0 }));
    expect(error.code).toBe('PACKAGE_UNSAFE');
    expect(error.message).toMatch(why);
    expect(error.message).toContain('package.zip');
  });

  it('has a second name in an extra field, and that one leads out', async () => {
    const { crc32 } = await import('node:zlib');
    const name = Buffer.from('../evil');
    const extra = Buffer.alloc(9 + name.length);
    extra.writeUInt16LE(0x7075, 0);
    extra.writeUInt16LE(5 + name.length, 2);
    extra.writeUInt8(1, 4);
    extra.writeUInt32LE(crc32(Buffer.from('harmless')), 5);
    name.copy(extra, 9);
    const error = await refusalOf(zip({ path: 'harmless', content: 'x', extra }));
    expect(error.message).toMatch(/entry "\.\.\/evil" is refused: it leads out/);
  });
});

describe('a zip archive is no package if it is', () => {
  const whole = zipOf([good, { path: 'a', content: 'x'.repeat(3000) }]);

  it.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('this is no archive '.repeat(100))],
    ['truncated', whole.subarray(0, 80)],
    ['truncated by its last byte', whole.subarray(0, -1)],
    ['without its beginning', whole.subarray(10)],
    ['damaged in its content', Buffer.from(whole).fill(0xff, 78, 82)],
    ['damaged in its list', Buffer.from(whole).fill(0, whole.length - 22 - 47, whole.length - 22 - 43)],
    ['followed by something', Buffer.concat([whole, Buffer.from('more')])],
    ['wrong about a checksum', zipOf([{ ...good, crc: 1 }])],
    ['wrong about a size', zipOf([{ ...good, size: 9 }])],
    ['wrong about a size of what is stored', zipOf([{ ...good, method: 0, size: 9 }])],
    ['wrong about the place of its content', zipOf([{ ...good, packedSize: 900 }])],
  ])('%s', async (_, content) => {
    const error = await refusalOf(archive('a.zip', content));
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', exitCode: 2 });
    expect(error.message).toContain('a.zip');
  });

  it('one whose entries share the same content, to be more than there is', async () => {
    const bytes = 1024 * 1024;
    const items = Array.from({ length: 20 }, (_, i) => ({ path: `f${i}`, content: Buffer.alloc(bytes) }));
    const error = await refusalOf(zip(...items), { limits: { bytes: 10 * bytes } });
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('"f10"') });
  });
});

describe('a zip archive is taken as it is', () => {
  it('with stored and compressed files, with folders, and with files that cannot be made smaller', async () => {
    const noise = randomBytes(300_000);
    const { dir } = await bring(
      zip(
        { path: 'top/' },
        { path: 'top/stored', content: 'x', method: 0 },
        { path: 'top/noise', content: noise },
        { path: 'top/nothing' },
        { path: 'top/empty/' },
        { path: 'top/run', content: 'x', mode: 0o755 },
      ),
    );
    const same = scratch([
      { path: 'stored', content: 'x' },
      { path: 'noise', content: noise },
      { path: 'nothing' },
      { path: 'run', content: 'x', mode: 0o755 },
    ]);
    expect(tree(dir)).toEqual([...tree(same), 'empty/: 755'].sort());
  });

  it('made on a system without modes', async () => {
    const { dir } = await bring(zip({ ...good, kind: 0, mode: 0 }, { path: 'a/', kind: 0, mode: 0 }));
    expect(tree(dir)).toEqual(['a/: 755', 'plugin.json: 644 {}']);
  });
});
