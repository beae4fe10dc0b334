import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';
import { describe, expect, it } from 'vitest';
import { stage } from '../../../src/install/fetch/stage.ts';
import { archive } from './kinds.ts';
import { bring, failureOf, refusalOf, scratch, tree } from './scratch.ts';
import { entryOf, extended, record, type TarItem, tarOf, tgzOf } from './tar-file.ts';

const good: TarItem = { path: 'plugin.json', content: '{}' };
const tgz = (...items: TarItem[]) => archive('package.tar.gz', tgzOf(items));

describe('a tar archive is refused if an entry is', () => {
  it.each<[string, TarItem, RegExp]>([
    ['a link out of the package', { path: 'a', type: 'SymbolicLink', linkpath: '../../etc/passwd' }, /it is a link/],
    ['a link to an absolute path', { path: 'a', type: 'SymbolicLink', linkpath: '/etc/passwd' }, /it is a link/],
    ['a link inside of the package', { path: 'a', type: 'SymbolicLink', linkpath: 'plugin.json' }, /it is a link/],
    ['a hard link out of the package', { path: 'a', type: 'Link', linkpath: '../../etc/passwd' }, /hard link/],
    ['a hard link inside of the package', { path: 'a', type: 'Link', linkpath: 'plugin.json' }, /hard link/],
    ['a character device', { path: 'a', type: 'CharacterDevice' }, /device/],
    ['a block device', { path: 'a', type: 'BlockDevice' }, /device/],
    ['a named pipe', { path: 'a', type: 'FIFO' }, /named pipe/],
    ['of an unknown kind', { path: 'a', patch: (header) => header.write('S', 156) }, /kind that is not known/],
    ['a dump of a folder', { path: 'a', patch: (header) => header.write('D', 156) }, /neither a file nor a folder/],
    ['a file without a name', { path: './', patch: (header) => header.write('7', 156) }, /file without a name/],
    ['a file with a slash at its end', { path: 'a/', patch: (header) => header.write('7', 156) }, /empty part/],
    [
      'of a size that is no number',
      { path: 'a', patch: (header) => header.fill('x', 124, 136) },
      /size cannot be read/,
    ],
    ['of a negative size', { path: 'a', patch: (header) => header.fill(0xff, 124, 136) }, /size cannot be read/],
    ['of a size that says 8 GB', { path: 'a', patch: (header) => header.write('77777777777 ', 124) }, /larger than/],
    ['of a broken size', { path: 'a', pax: record('size', '1.5') }, /size cannot be read/],
    ['of a name that is no UTF-8', { path: 'a', patch: (header) => header.writeUInt8(0xff, 0) }, /cannot be shown/],
    ['of a long name with a NUL', { path: 'a', pax: record('path', 'ok\0../../evil') }, /control character/],
    ['of a long name with a line break', { path: 'a', pax: record('path', 'x\ny') }, /control character/],
    ['of a long name that leads out', { path: 'a', pax: record('path', '../evil') }, /leads out of the package/],
    ['a sparse file', { path: 'a', pax: record('GNU.sparse.major', '1') }, /sparse/],
    ['one part of a name of 256 bytes', { path: `${'x'.repeat(256)}` }, /part of its name is longer than 255/],
  ])('%s', async (_, item, why) => {
    const error = await refusalOf(tgz(good, item, { path: 'z', content: 'z' }));
    expect(error.code).toBe('PACKAGE_UNSAFE');
    expect(error.message).toMatch(why);
    expect(error.message).toContain('package.tar.gz');
  });

  it('a file under a link that came before it', async () => {
    const error = await refusalOf(
      tgz({ path: 'out', type: 'SymbolicLink', linkpath: '/tmp' }, { path: 'out/evil', content: 'x' }),
    );
    expect(error.message).toMatch(/entry "out" is refused: it is a link/);
  });

  it('of a GNU long name with a NUL', async () => {
    const long = extended('L', Buffer.from('ok\0../../evil\0'));
    const error = await refusalOf(archive('a.tar', Buffer.concat([long, tarOf([good])])));
    expect(error.message).toMatch(/control character/);
  });

  it('preceded by an extended header that is larger than the parser would read', async () => {
    const large = extended('x', Buffer.from(record('comment', 'x'.repeat(1024 * 1024 + 1))));
    const error = await refusalOf(archive('a.tar', Buffer.concat([large, tarOf([good])])));
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE' });
  });
});

describe('a tar archive is no package if it is', () => {
  const whole = tarOf([
    { path: 'a', content: 'x'.repeat(2000) },
    { path: 'b', content: 'y'.repeat(2000) },
  ]);
  const damaged = (at: number) => {
    const copy = Buffer.from(whole);
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return copy;
  };

  it.each<[string, string, Buffer]>([
    ['empty', 'a.tar.gz', Buffer.alloc(0)],
    ['one byte', 'a.tar.gz', Buffer.from([0x1f])],
    ['text', 'a.tgz', Buffer.from('this is no archive '.repeat(100))],
    ['a zip', 'a.tar.gz', Buffer.from('PK\x03\x04'.padEnd(2000, 'x'))],
    ['truncated', 'a.tar.gz', gzipSync(whole).subarray(0, 60)],
    ['truncated by its last byte', 'a.tar.gz', gzipSync(whole).subarray(0, -1)],
    ['truncated in a file', 'a.tar', whole.subarray(0, 1500)],
    ['truncated in a header', 'a.tar', whole.subarray(0, 512 + 2048 + 100)],
    ['truncated between two files', 'a.tar', whole.subarray(0, 512 + 2048)],
    ['truncated before its end', 'a.tar', whole.subarray(0, -1024)],
    ['compressed, truncated and compressed again', 'a.tar.gz', gzipSync(whole.subarray(0, 1500))],
    ['compressed twice', 'a.tar.gz', gzipSync(gzipSync(whole))],
    ['damaged in the first header', 'a.tar', damaged(3)],
    ['damaged in the second header', 'a.tar', damaged(512 + 2048 + 10)],
    ['damaged in the compressed data', 'a.tar.gz', Buffer.from(gzipSync(whole)).fill(0, 20, 40)],
    ['nothing but its end', 'a.tar', Buffer.alloc(1024)],
  ])('%s', async (_, name, content) => {
    const error = await refusalOf(archive(name, content));
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', exitCode: 2 });
    expect(error.message).toContain(name);
  });

  it('gone by the time it is read', async () => {
    const path = join(scratch(), 'gone.tar');
    const error = await failureOf(() => stage({ kind: 'tar', path }, join(scratch(), 'into')));
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', file: path });
  });
});

describe('a tar archive that unpacks to far too much', () => {
  const limits = { bytes: 1024 * 1024, entries: 100, fileBytes: 1024 * 1024 };

  it('is stopped at the header that says so, before its content is unpacked', async () => {
    const bomb = gzipSync(
      Buffer.concat([entryOf({ path: 'a', size: 10 * 1024 ** 3 }), Buffer.alloc(50 * 1024 * 1024)]),
    );
    const started = performance.now();
    const error = await refusalOf(archive('bomb.tar.gz', bomb));
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('larger than 26214400') });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('is stopped while it is read, if what is too much is no file', async () => {
    const headers = Array.from({ length: 4000 }, () => extended('x', Buffer.from(record('comment', 'x'.repeat(400)))));
    const error = await refusalOf(archive('bomb.tar.gz', gzipSync(Buffer.concat([...headers, tarOf([good])]))), {
      limits,
    });
    expect(error.message).toMatch(/unpacks to more than 1048576 bytes/);
  });

  it('is stopped while it is read, if what is too much comes after its end', async () => {
    const source = archive('bomb.tar.gz', gzipSync(Buffer.concat([tarOf([good]), Buffer.alloc(10 * 1024 * 1024)])));
    const error = await refusalOf(source, { limits });
    expect(error.message).toMatch(/unpacks to more than 1048576 bytes/);
  });

  it('is stopped at the entry that is one too many, of a million', async () => {
    const one = entryOf({ path: 'folder/', type: 'Directory' });
    const million = Buffer.concat(Array.from({ length: 100_000 }, () => one));
    const error = await refusalOf(archive('many.tar.gz', gzipSync(million)));
    expect(error.message).toMatch(/more than 20000 entries/);
  });
});

describe('a tar archive is taken as it is', () => {
  it('by the tar package, with folders and without', async () => {
    const dir = scratch([
      { path: 'plugin.json', content: '{}' },
      { path: 'a/b/c.sh', content: 'x', mode: 0o755 },
    ]);
    for (const paths of [['.'], ['plugin.json', 'a'], ['plugin.json', 'a/b/c.sh']]) {
      const file = join(scratch(), 'x.tgz');
      await create({ file, cwd: dir, gzip: true }, paths);
      expect(tree((await bring(file)).dir)).toEqual(['a/: 755', 'a/b/: 755', 'a/b/c.sh: 755 x', 'plugin.json: 644 {}']);
    }
  });

  it('by the tar program, in each of its formats', async () => {
    const long = `${'long/'.repeat(30)}name-${'x'.repeat(120)}`;
    const dir = scratch([
      { path: `top/${long}`, content: 'x' },
      { path: 'top/plugin.json', content: '{}' },
    ]);
    for (const format of ['gnu', 'pax', 'posix']) {
      const file = join(scratch(), 'x.tar.gz');
      execFileSync('tar', [`--format=${format}`, '-czf', file, '-C', dir, 'top']);
      expect(tree((await bring(file)).dir)).toContain(`${long}: 644 x`);
    }
  });

  it('with the names of macOS, whose extended headers hold bytes that are no text', async () => {
    const pax = record('SCHILY.xattr.com.apple.provenance', '\u0001\0\0') + record('path', 'renamed');
    const { dir } = await bring(tgz({ path: 'short', content: 'x', pax }, good));
    expect(tree(dir)).toEqual(['plugin.json: 644 {}', 'renamed: 644 x']);
  });

  it('with large files and many small ones, byte by byte', async () => {
    const large = Buffer.alloc(3_000_001, 'large ');
    const small = Array.from({ length: 300 }, (_, i) => ({ path: `small/${i}`, content: `${i}`.repeat(i) }));
    const { dir } = await bring(tgz({ path: 'large', content: large }, ...small));
    expect(tree(dir)).toEqual(tree(scratch([{ path: 'large', content: large }, ...small])));
  });

  it('with empty folders, with one empty block at its end, and with padding after it', async () => {
    const items = [good, { path: 'empty/', type: 'Directory' as const }];
    for (const content of [tarOf(items).subarray(0, -512), Buffer.concat([tarOf(items), Buffer.alloc(10_000)])]) {
      const file = join(scratch(), 'x.tar');
      writeFileSync(file, content);
      expect(tree((await bring(file)).dir)).toEqual(['empty/: 755', 'plugin.json: 644 {}']);
    }
  });
});
