import { closeSync, readSync } from 'node:fs';
import type { JobFolders } from './job-folders.ts';

/** What bubblewrap tells of a job. */
interface Told {
  'child-pid'?: number;
  /** Missing if the program could not be started, or was ended before. */
  'exit-code'?: number;
}

/** More than bubblewrap ever tells. */
const mostBytes = 1024;

/**
 * What bubblewrap tells of the job in it, by a file that has no name. Not by a pipe: it tells in many small pieces, and each
 * would wake this process while bubblewrap is still setting up.
 */
export class Status {
  /** The file, open for both; it is closed by `close`. */
  readonly file: number;
  #told: Told = {};
  #isClosed = false;

  /** Throws what the file system says. */
  constructor(folders: JobFolders) {
    this.file = folders.nameless(mostBytes);
  }

  /** The first process of the namespace, seen from outside, once that is told. */
  get first(): number | undefined {
    return this.#look()['child-pid'];
  }

  /** Whether it was told how the job ended: not if it could not be started. */
  get hasEnded(): boolean {
    return this.#look()['exit-code'] !== undefined;
  }

  /** Looks no more: what was told by now stays. */
  close(): void {
    this.#look();
    this.#isClosed = true;
    closeSync(this.file);
  }

  #look(): Told {
    if (this.#isClosed || this.#told['exit-code'] !== undefined) return this.#told;
    const buffer = Buffer.allocUnsafe(mostBytes);
    const text = buffer.toString('latin1', 0, readSync(this.file, buffer, 0, mostBytes, 0));
    // What comes after the last line end is blank, or still being written.
    const lines = text.split('\n').slice(0, -1);
    this.#told = Object.assign({}, ...lines.map((line: string) => JSON.parse(line)));
    return this.#told;
  }
}
