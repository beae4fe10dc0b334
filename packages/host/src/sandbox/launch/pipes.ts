import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './folder.ts';

/** Both ends of a pipe, open. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export interface PipesOptions {
  /** Where they are made. */
  readonly dir: string;
  /** Begins the name of the folder in which they are made. */
  readonly prefix: string;
  /** The program that makes them. @default none can be made */
  readonly mkfifo: string | undefined;
}

/** So many are made at a time. */
const batch = 64;
/** More are made when fewer than these are left: enough for a few jobs. */
const low = 12;

/**
 * Pipes for jobs. Those that Node.js gives a child are sockets, which on Linux cannot be opened by a name: a script that
 * writes to /dev/stderr would fail. Each pipe is given away once, and has no name in the file system by then.
 */
export class Pipes {
  readonly #options: PipesOptions;
  readonly #ready: Pipe[] = [];

  /** Makes the first. */
  constructor(options: PipesOptions) {
    this.#options = options;
    this.refill();
  }

  /** One that nobody else has; undefined where none can be made. Its taker closes both ends. */
  take(): Pipe | undefined {
    if (this.#ready.length === 0) this.refill();
    return this.#ready.pop();
  }

  /** Makes more if few are left. Leaves nothing on disk; never throws. */
  refill(): void {
    const { dir: parent, prefix, mkfifo } = this.#options;
    if (mkfifo === undefined || this.#ready.length >= low) return;
    let dir: string | undefined;
    try {
      const made = makeFolder(parent, prefix);
      dir = made;
      const files = Array.from({ length: batch }, (_, i) => join(made, String(i)));
      spawnSync(mkfifo, ['-m', '600', ...files], { env: {}, stdio: 'ignore' });
      for (const file of files) this.#ready.push(opened(file));
    } catch {
      // Without them, jobs get sockets: most never notice.
    } finally {
      if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    }
  }
}

/** Throws where there is no pipe. Neither end may wait for somebody at the other. */
function opened(file: string): Pipe {
  const read = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(file, constants.O_WRONLY | constants.O_NONBLOCK) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}
