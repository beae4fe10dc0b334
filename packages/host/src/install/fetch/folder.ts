import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { shownName } from './names.ts';
import type { Policy } from './policy.ts';
import { Turns } from './turns.ts';

/**
 * The folder that a package is written to. It only ever makes plain files and folders, of names that its policy has
 * admitted, and never opens what is already there: so nothing can be written outside of it. What cannot be written
 * is a PROJECT_WRITE.
 */
export class StagingFolder {
  readonly dir: string;
  readonly policy: Policy;
  readonly turns = new Turns();
  readonly #made = new Set(['', '.']);

  constructor(dir: string, policy: Policy) {
    this.dir = dir;
    this.policy = policy;
  }

  /** Makes a folder, as admitted, and those it is in. */
  folder(path: string): void {
    if (this.#made.has(path)) return;
    this.folder(dirname(path));
    const dir = join(this.dir, path);
    this.#writing(path, () => {
      mkdirSync(dir);
      chmodSync(dir, 0o755); // Whatever the umask is.
    });
    this.#made.add(path);
  }

  /** Writes a file, as admitted, and makes the folders it is in. */
  async file(path: string, content: Uint8Array, run: boolean): Promise<void> {
    this.folder(dirname(path));
    this.#writing(path, () => {
      const fd = openSync(join(this.dir, path), 'wx', 0o600);
      try {
        writeFileSync(fd, content);
        fchmodSync(fd, run ? 0o755 : 0o644);
      } finally {
        closeSync(fd);
      }
    });
    await this.turns.rest();
  }

  /** The package is whole now. Throws SOURCE_INVALID if there is no file in it. */
  finish(): void {
    if (this.policy.files === 0) throw this.policy.invalid('there are no files in it');
  }

  /** The same for an archive: if all there is is one folder, what is in it takes its place. */
  finishArchive(): void {
    this.finish();
    const [top, ...others] = readdirSync(this.dir, { withFileTypes: true });
    if (top === undefined || others.length > 0 || !top.isDirectory()) return;
    // Out of the way first: a folder may well hold one of its own name.
    const aside = join(this.dir, `.top-${randomUUID()}`);
    this.#writing(top.name, () => {
      renameSync(join(this.dir, top.name), aside);
      for (const name of readdirSync(aside)) renameSync(join(aside, name), join(this.dir, name));
      rmdirSync(aside);
    });
  }

  #writing(path: string, act: () => void): void {
    try {
      act();
    } catch (cause) {
      const message = `cannot write ${shownName(path)} to ${this.dir}: ${messageOf(cause)}`;
      throw new PatchbayError('PROJECT_WRITE', message, { file: join(this.dir, path), cause });
    }
  }
}
