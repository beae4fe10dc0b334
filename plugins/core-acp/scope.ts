import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import type { TurnWork } from 'patchbay-sdk';

/** What belongs to git and to Patchbay, whatever the globs of a role say. */
const kept = /(?:^|\/)\.git(?:\/|$)|^\.(?:patchbay|agentxchain)(?:\/|$)/i;

/** Where an agent may read and write in its turn. The host looks afterwards at what changed: this is what it is told before. */
export class Scope {
  readonly #workspace: string;
  readonly #resultFile: string | undefined;
  readonly #readable: readonly string[];
  readonly #writes: readonly string[];

  constructor(turn: Pick<TurnWork, 'workspace' | 'bundle' | 'result_file' | 'writes' | 'reviews'>) {
    this.#workspace = realpathSync(turn.workspace);
    this.#resultFile = real(turn.result_file);
    this.#readable = [this.#workspace, realpathSync(turn.bundle)];
    // Whoever judges the work of others changes nothing.
    this.#writes = turn.reviews === null ? turn.writes : [];
  }

  /** The real path of what may be read: all in the workspace and the bundle, and the result. Undefined if it may not. Never throws. */
  readable(path: string): string | undefined {
    const file = real(resolve(this.#workspace, path));
    if (file === undefined || file === this.#resultFile) return file;
    return this.#readable.some((folder) => within(folder, file) !== undefined) ? file : undefined;
  }

  /** The real path of what may be written: what the globs of the role cover, and the result. Undefined if it may not. Never throws. */
  writable(path: string): string | undefined {
    const file = real(resolve(this.#workspace, path));
    if (file === undefined || file === this.#resultFile) return file;
    const inside = within(this.#workspace, file);
    if (inside === undefined || kept.test(inside)) return undefined;
    return this.#writes.some((glob) => covers(glob, inside)) ? file : undefined;
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

/** As the host matches: wildcards match names that begin with a dot, a name without wildcards stands for all in that folder. */
function covers(glob: string, path: string): boolean {
  const pattern = undotted(glob.replace(/^(?:\.\/+)+/, ''));
  const folder = pattern.replace(/\/+$/, '');
  const file = undotted(path);
  if (folder === pattern && posix.matchesGlob(file, pattern)) return true;
  const isFolder = folder !== pattern || !/[*?[\]{}]/.test(folder);
  return isFolder && posix.matchesGlob(file, `${folder}/**`);
}

/** A dot means nothing in a glob, except that wildcards of Node pass over names that begin with one. */
function undotted(text: string): string {
  return text.normalize().replaceAll('.', '\u{E000}');
}
