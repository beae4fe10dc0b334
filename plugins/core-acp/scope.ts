import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { TurnWork } from 'patchbay-sdk';

/** Where an agent may read and write in its turn. The host looks afterwards at what changed: this is what it is told before. */
export class Scope {
  readonly #turn: TurnWork;
  readonly #workspace: string;
  readonly #resultFile: string | undefined;
  readonly #readable: readonly string[];

  constructor(turn: TurnWork) {
    this.#turn = turn;
    this.#workspace = realpathSync(turn.workspace);
    this.#resultFile = real(turn.result_file);
    this.#readable = [this.#workspace, realpathSync(turn.bundle)];
  }

  /** The real path of what may be read: all in the workspace and the bundle, and the result. Undefined if it may not. Never throws. */
  readable(path: string): string | undefined {
    const file = real(resolve(this.#workspace, path));
    if (file === undefined || file === this.#resultFile) return file;
    return this.#readable.some((folder) => within(folder, file) !== undefined) ? file : undefined;
  }

  /** The real path of what may be written: what the role may change, and the result. Undefined if it may not. */
  async writable(path: string): Promise<string | undefined> {
    const file = real(resolve(this.#workspace, path));
    if (file === undefined || file === this.#resultFile) return file;
    const inside = within(this.#workspace, file);
    return inside !== undefined && (await this.#turn.mayWrite(inside)) ? file : undefined;
  }
}

/** The path of a file in a folder, with forward slashes; undefined if it is not in it. */
function within(folder: string, file: string): string | undefined {
  const path = relative(folder, file);
  return path === '..' || path.startsWith(`..${sep}`) || resolve(path) === path ? undefined : path.split(sep).join('/');
}

/** Where a path leads once links are followed, whether there is a file or not; undefined if nobody can tell. */
function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return isThere(path) || dirname(path) === path ? undefined : beside(real(dirname(path)), basename(path));
  }
}

/** A link to nowhere is there; so is, to be safe, what cannot be looked at. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function beside(folder: string | undefined, name: string): string | undefined {
  return folder === undefined ? undefined : join(folder, name);
}
