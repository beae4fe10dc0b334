import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { shownName } from './names.ts';
import type { Policy } from './policy.ts';

const filesAtOnce = 16;
const bytesAtOnce = 8 * 1024 * 1024;

/**
 * The folder that a package is written to. It only ever makes plain files and folders, of names that its policy has
 * admitted, and never opens what is already there: so nothing can be written outside of it.
 */
export class StagingFolder {
  readonly dir: string;
  readonly policy: Policy;
  readonly #made = new Map<string, Promise<void>>();
  readonly #writing = new Set<Promise<void>>();
  #bytes = 0;
  #failure: unknown;

  constructor(dir: string, policy: Policy) {
    this.dir = dir;
    this.policy = policy;
  }

  /** Makes a folder, as admitted. */
  folder(path: string): Promise<void> {
    if (path === '' || path === '.') return Promise.resolve();
    const known = this.#made.get(path);
    if (known !== undefined) return known;
    const made = this.folder(dirname(path)).then(() => this.#make(path));
    this.#made.set(path, made);
    return made;
  }

  /** Writes a file, as admitted. Comes back when there is room for the next; failures show then or in `finish`. */
  async file(path: string, content: Uint8Array, run: boolean): Promise<void> {
    const writing = this.#write(path, content, run)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#writing.delete(writing);
        this.#bytes -= content.byteLength;
      });
    this.#writing.add(writing);
    this.#bytes += content.byteLength;
    while (this.#writing.size >= filesAtOnce || this.#bytes >= bytesAtOnce) await Promise.race(this.#writing);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits until nothing is being written any more. Never throws. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#writing, ...this.#made.values()]);
  }

  /** Waits for what is being written. Throws what failed, or SOURCE_INVALID when there is no file at all. */
  async finish(): Promise<void> {
    await Promise.all(this.#writing);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.policy.files === 0) throw this.policy.invalid('there are no files in it');
  }

  /** If all there is is one folder, what is in it takes its place. */
  async takeOffTop(): Promise<void> {
    const [top, ...others] = await readdir(this.dir, { withFileTypes: true });
    if (top === undefined || others.length > 0 || !top.isDirectory()) return;
    // Out of the way first: a folder may well hold one of its own name.
    const aside = join(this.dir, `.top-${randomUUID()}`);
    try {
      await rename(join(this.dir, top.name), aside);
      for (const name of await readdir(aside)) await rename(join(aside, name), join(this.dir, name));
      await rmdir(aside);
    } catch (error) {
      throw this.#unwritten(top.name, error);
    }
  }

  async #make(path: string): Promise<void> {
    try {
      await mkdir(join(this.dir, path));
      await chmod(join(this.dir, path), 0o755); // Whatever the umask is.
    } catch (error) {
      throw this.#unwritten(path, error);
    }
  }

  async #write(path: string, content: Uint8Array, run: boolean): Promise<void> {
    await this.folder(dirname(path));
    try {
      await using file = await open(join(this.dir, path), 'wx', 0o600);
      await file.writeFile(content);
      await file.chmod(run ? 0o755 : 0o644);
    } catch (error) {
      throw this.#unwritten(path, error);
    }
  }

  #unwritten(path: string, cause: unknown): PatchbayError {
    const message = `cannot write ${shownName(path)} to ${this.dir}: ${messageOf(cause)}`;
    return new PatchbayError('PROJECT_WRITE', message, { file: join(this.dir, path), cause });
  }
}
