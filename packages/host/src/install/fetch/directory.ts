import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { StagingFolder } from './folder.ts';

const leftOut = ['.git', 'node_modules'];
const readersAtOnce = 8;
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

interface Copy {
  /** Relative to the package. */
  readonly path: string;
  /** Where its content is, links resolved. */
  readonly from: string;
  readonly size: number;
}

/**
 * Copies a folder. `.git` and `node_modules` at its top are left out. A link becomes a copy of what it leads to, if that is
 * a part of the package; any other link is refused. Everything is looked at before anything is written.
 */
export async function stageDirectory(path: string, folder: StagingFolder): Promise<void> {
  const { policy } = folder;
  let root: string;
  try {
    root = await realpath(path);
  } catch (error) {
    throw policy.invalid(`cannot be read: ${messageOf(error)}`, error);
  }
  if (isWithin(root, await realpath(folder.dir))) {
    throw policy.invalid('contains the place it would be copied to; name the folder of the plugin itself');
  }
  const walk = new Walk(root, folder);
  await walk.enter(root, '', [root]);
  for (const path of walk.folders) await folder.folder(path);
  const rest = walk.copies.values();
  let failure: unknown;
  const reader = async () => {
    for (const copy of rest) {
      if (failure !== undefined) return;
      await copyFile(copy, folder).catch((error: unknown) => {
        failure ??= error;
      });
    }
  };
  await Promise.all(Array.from({ length: readersAtOnce }, reader));
  if (failure !== undefined) throw failure;
  await folder.finish();
}

class Walk {
  readonly folders: string[] = [];
  readonly copies: Copy[] = [];
  readonly #root: string;
  readonly #folder: StagingFolder;

  constructor(root: string, folder: StagingFolder) {
    this.#root = root;
    this.#folder = folder;
  }

  /** `real` is where the folder is, `within` where it goes, `above` the folders it is in: to notice a circle of links. */
  async enter(real: string, within: string, above: readonly string[]): Promise<void> {
    const { policy } = this.#folder;
    for (const entry of await this.#listing(real)) {
      if (within === '' && leftOut.includes(entry.name)) continue;
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      const from = entry.isSymbolicLink() ? await this.#resolve(real, path) : join(real, entry.name);
      const found = entry.isSymbolicLink() ? await stat(from) : await this.#stat(from, path);
      if (found.isDirectory()) {
        if (above.includes(from)) throw policy.refusal('it is a link that leads round in a circle', path);
        this.folders.push(policy.folder(path));
        await this.enter(from, path, [...above, from]);
      } else if (found.isFile()) {
        this.copies.push({ path: policy.file(path, found.size), from, size: found.size });
      } else {
        throw policy.refusal('it is neither a file nor a folder', path);
      }
    }
  }

  async #resolve(real: string, path: string): Promise<string> {
    const { policy } = this.#folder;
    let target: string;
    try {
      target = await realpath(join(real, path.slice(path.lastIndexOf('/') + 1)));
    } catch {
      throw policy.refusal('it is a link that leads nowhere', path);
    }
    const [top = ''] = relative(this.#root, target).split(sep);
    if (!isWithin(this.#root, target) || leftOut.includes(top)) {
      throw policy.refusal('it is a link that leads out of the package', path);
    }
    return target;
  }

  async #listing(real: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(real, { withFileTypes: true });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      throw this.#folder.policy.invalid(`cannot be read: ${messageOf(error)}`, error);
    }
  }

  async #stat(from: string, path: string) {
    try {
      return await lstat(from);
    } catch {
      throw this.#folder.policy.refusal('it cannot be found again by its name', path);
    }
  }
}

async function copyFile({ path, from, size }: Copy, folder: StagingFolder): Promise<void> {
  let content: Buffer;
  let run: boolean;
  try {
    await using file = await open(from, openFlags);
    const { mode } = await file.stat();
    run = (mode & 0o111) !== 0;
    // One byte more than admitted: enough to notice that it has grown, and never more than that in memory.
    const buffer = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= size; length += read) {
      read = (await file.read(buffer, length)).bytesRead;
    }
    if (length !== size) throw new Error('it changed while it was copied');
    content = buffer.subarray(0, size);
  } catch (cause) {
    throw new PatchbayError('SOURCE_INVALID', `cannot read ${from}: ${messageOf(cause)}`, { file: from, cause });
  }
  await folder.file(path, content, run);
}

function isWithin(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}
