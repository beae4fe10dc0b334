import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { Turns } from './fetch/turns.ts';

/** A file of a package. */
export interface PackageFile {
  /** Relative, with `/` between its parts. */
  readonly path: string;
  readonly size: number;
  /** Whether anybody may run it. */
  readonly run: boolean;
}

const buffer = Buffer.allocUnsafeSlow(256 * 1024);
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Every file in a folder, sorted by the bytes of its path. Nothing is ignored. Throws PACKAGE_UNSAFE for a link, a device or
 * anything else that is neither file nor folder, SOURCE_INVALID if the folder cannot be read.
 */
export async function filesOf(dir: string): Promise<readonly PackageFile[]> {
  const files: PackageFile[] = [];
  const turns = new Turns();
  for (const path of pathsOf(dir)) {
    const { size, mode } = reading(dir, path, () => lstatSync(join(dir, path)));
    files.push({ path, size, run: isRun(mode) });
    await turns.rest();
  }
  return files;
}

/**
 * The integrity of the files in a folder: `sha512-` and base64, over path, run bit, length and content of each file,
 * sorted by the bytes of its path. Times, owners, other mode bits and empty folders do not count. Throws as `filesOf`.
 */
export async function integrityOf(dir: string): Promise<string> {
  const hash = createHash('sha512');
  const turns = new Turns();
  for (const path of pathsOf(dir)) {
    reading(dir, path, () => addFile(hash, dir, path));
    await turns.rest();
  }
  return `sha512-${hash.digest('base64')}`;
}

/** The length stands before everything of open length, so no two different packages give the same text. */
function addFile(hash: Hash, dir: string, path: string): void {
  const fd = openSync(join(dir, path), openFlags);
  try {
    const { size, mode } = fstatSync(fd);
    hash.update(`${Buffer.byteLength(path)} ${path} ${isRun(mode) ? 'x' : '-'} ${size}\n`);
    let rest = size;
    for (let read = -1; read !== 0; rest -= read) {
      read = readSync(fd, buffer);
      hash.update(buffer.subarray(0, read));
      if (read === rest && read < buffer.length) return; // A short read of the whole rest: nothing can follow.
    }
    if (rest !== 0) throw new Error('it changed while it was read');
  } finally {
    closeSync(fd);
  }
}

function isRun(mode: number): boolean {
  return (mode & 0o111) !== 0;
}

function pathsOf(dir: string): string[] {
  const paths: string[] = [];
  const enter = (within: string) => {
    for (const entry of reading(dir, within, () => readdirSync(join(dir, within), { withFileTypes: true }))) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) enter(path);
      else if (entry.isFile()) paths.push(path);
      else throw unsafe(dir, path, entry);
    }
  };
  enter('');
  return paths.sort(byBytes);
}

/** JavaScript compares UTF-16 units; that is another order only where a surrogate is involved. */
function byBytes(a: string, b: string): number {
  if (/[\uD800-\uFFFF]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

function unsafe(dir: string, path: string, entry: Dirent): PatchbayError {
  const what = entry.isSymbolicLink() ? 'a link' : 'neither a file nor a folder';
  return new PatchbayError('PACKAGE_UNSAFE', `${dir}: ${JSON.stringify(path)} is ${what}`, { file: join(dir, path) });
}

function reading<T>(dir: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof PatchbayError) throw cause;
    const file = join(dir, path);
    throw new PatchbayError('SOURCE_INVALID', `cannot read ${file}: ${messageOf(cause)}`, { file, cause });
  }
}
