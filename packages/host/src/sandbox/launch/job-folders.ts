import { close, closeSync, lstatSync, openSync, rmdirSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, removeFolder } from './folder.ts';

/** Where the folders of jobs are made. */
export interface FolderPlace {
  readonly tempDir: string;
  /** For what jobs are given. @default it goes into the same folder as their temporary files */
  readonly memoryDir: string | undefined;
  /** Begins the names of their folders. */
  readonly prefix: string;
}

/**
 * The private folders of a job: one for its temporary files, one for what it is given. The latter is in memory where it
 * can be: on a disk that others write to, making and removing a few files can take as long as the job.
 */
export class JobFolders {
  /** For its temporary files. */
  readonly tmp: string;
  readonly #memory: string | undefined;
  /** A removed folder that is open loses its name at once, and its place on the disk, which takes longer, later. */
  readonly #open: number | undefined;
  readonly #files: string[] = [];

  /** Makes them. Throws what the file system says. */
  constructor({ tempDir, memoryDir, prefix }: FolderPlace) {
    this.tmp = makeFolder(tempDir, prefix);
    this.#open = attempt(() => openSync(this.tmp, 'r'));
    this.#memory = memoryDir === undefined ? undefined : attempt(() => makeFolder(memoryDir, prefix));
  }

  /** Writes a file for each text; gives the path of each by its variable. Throws what the file system says. */
  give(files: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(files).map(([variable, text]) => [variable, this.put(`${variable}.json`, text)]);
    return Object.fromEntries(entries);
  }

  /** Writes a file; gives its path. Throws what the file system says. */
  put(name: string, text: string): string {
    const memory = this.#memory;
    // There may be less memory than disk.
    const inMemory = memory === undefined ? undefined : attempt(() => this.#write(join(memory, name), text));
    return inMemory ?? this.#write(join(this.tmp, name), text);
  }

  /**
   * Opens a file that nobody finds, as its name is gone again. It holds so many blanks: others may fill what it is in, but it
   * keeps its room. Throws what the file system says.
   */
  nameless(bytes: number): number {
    const memory = this.#memory;
    return (memory === undefined ? undefined : attempt(() => nameless(memory, bytes))) ?? nameless(this.tmp, bytes);
  }

  /** Removes them, whatever was made of them. What cannot be removed is left; never throws. */
  async remove(): Promise<void> {
    for (const dir of [this.tmp, this.#memory]) {
      if (dir !== undefined && !this.#removeUntouched(dir)) await removeFolder(dir);
    }
    const open = this.#open;
    // Not waited for, by the next job either, and begun when the end has been told: it can take longer than the job did.
    if (open !== undefined) setImmediate(() => close(open, () => undefined));
  }

  #write(file: string, text: string): string {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    this.#files.push(file);
    return file;
  }

  /** The usual case, at once: all that is in it are our files. */
  #removeUntouched(dir: string): boolean {
    const removed = attempt(() => {
      const files = this.#files.filter((file) => dirname(file) === dir);
      // By now it may be a link to another folder; that alone is not removed as a folder.
      if (files.length > 0 && !lstatSync(dir).isDirectory()) return false;
      for (const file of files) unlinkSync(file);
      rmdirSync(dir);
      return true;
    });
    return removed ?? false;
  }
}

function nameless(dir: string, bytes: number): number {
  const file = join(dir, 'nameless');
  const open = openSync(file, 'wx+', 0o600);
  try {
    unlinkSync(file);
    // With a position: whoever is given the file begins to write where it begins.
    writeSync(open, ' '.repeat(bytes), 0);
    return open;
  } catch (error) {
    closeSync(open);
    throw error;
  }
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
