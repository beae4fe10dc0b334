import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runs } from './runs.ts';

/** What left work is found with. */
export interface LeftWorkParts {
  readonly runs: Pick<Runs, 'closeEnded'>;
  /** The folder in which runs have theirs. */
  readonly folder: string;
}

/** How often it is looked. */
const everyMs = 600_000;

/**
 * Closes the worktrees of runs that were begun on this host and have ended on another one. Looks when it is made, and now and then.
 */
export class LeftWork {
  readonly #parts: LeftWorkParts;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void>;
  #closed = false;

  constructor(parts: LeftWorkParts) {
    this.#parts = parts;
    this.#looking = this.#look();
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, everyMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { runs, folder } = this.#parts;
    for (const run_id of await readdir(folder).catch(() => [])) {
      if (this.#closed) return;
      // What is left then is in nobody's way, and it is looked again.
      if (existsSync(join(folder, run_id, 'git'))) await runs.closeEnded(run_id).catch(() => {});
    }
  }
}
