import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { StagingFolder } from './folder.ts';

const leftOut = ['.git', 'node_modules'];
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
    root = realpathSync(path);
  } catch (error) {
    throw policy.invalid(`cannot be read: ${messageOf(error)}`, error);
  }
  if (isWithin(root, realpathSync(folder.dir))) {
    throw policy.invalid('contains the place it would be copied to; name the folder of the plugin itself');
  }
  const walk = new Walk(root, folder);
  await walk.enter(root, '', [root]);
  for (const one of walk.folders) folder.folder(one);
  for (const copy of walk.copies) {
    const { content, run } = read(copy);
    await folder.file(copy.path, content, run);
  }
  folder.finish();
}

/** Looks at everything in a folder, and asks the policy. */
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
    const { policy, turns } = this.#folder;
    await turns.rest();
    for (const entry of this.#listing(real)) {
      if (within === '' && leftOut.includes(entry.name)) continue;
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      const from = entry.isSymbolicLink() ? this.#target(join(real, entry.name), path) : join(real, entry.name);
      const found = entry.isSymbolicLink() ? statSync(from) : this.#stat(from, path);
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

  #target(link: string, path: string): string {
    const { policy } = this.#folder;
    let target: string;
    try {
      target = realpathSync(link);
    } catch {
      throw policy.refusal('it is a link that leads nowhere', path);
    }
    const [top = ''] = relative(this.#root, target).split(sep);
    if (!isWithin(this.#root, target) || leftOut.includes(top)) {
      throw policy.refusal('it is a link that leads out of the package', path);
    }
    return target;
  }

  #listing(real: string): readonly Dirent[] {
    try {
      return readdirSync(real, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      throw this.#folder.policy.invalid(`cannot be read: ${messageOf(error)}`, error);
    }
  }

  #stat(from: string, path: string) {
    try {
      return lstatSync(from);
    } catch {
      // A name that is no UTF-8 comes out of the listing changed.
      throw this.#folder.policy.refusal('it cannot be found again by its name', path);
    }
  }
}

function read({ from, size }: Copy): { content: Buffer; run: boolean } {
  try {
    const fd = openSync(from, openFlags);
    try {
      // One byte more than admitted: enough to notice that it has grown, and never more than that in memory.
      const buffer = Buffer.allocUnsafe(size + 1);
      let length = 0;
      for (let count = -1; count !== 0 && length <= size; length += count) {
        count = readSync(fd, buffer, { offset: length });
      }
      if (length !== size) throw new Error(`${basename(from)} changed while it was copied`);
      return { content: buffer.subarray(0, size), run: (fstatSync(fd).mode & 0o111) !== 0 };
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw new PatchbayError('SOURCE_INVALID', `cannot read ${from}: ${messageOf(cause)}`, { file: from, cause });
  }
}

function isWithin(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}
