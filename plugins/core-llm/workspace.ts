import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { TurnWork } from 'patchbay-sdk';

/** Something in the workspace, whether it exists or not. */
export interface Place {
  /** Absolute, with no link on the way. */
  readonly file: string;
  /** Relative, with `/` between its parts; empty for the workspace itself. */
  readonly path: string;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Where a model works: nothing outside of it can be reached by a path, and only what its role may write is written. */
export class Workspace {
  readonly root: string;
  readonly #turn: TurnWork;

  private constructor(root: string, turn: TurnWork) {
    this.root = root;
    this.#turn = turn;
  }

  /** That of a turn. Rejects if there is no such folder. */
  static async open(turn: TurnWork): Promise<Workspace> {
    return new Workspace(await realpath(turn.workspace), turn);
  }

  /** Where a path leads. Rejects if it leads out of the workspace, or to what belongs to git or to Patchbay. */
  async find(asked: string): Promise<Place> {
    if (isAbsolute(asked)) throw new Error(`${asked} is absolute; paths are relative to the workspace`);
    const named = join(this.root, asked);
    const file = this.#contains(named) ? await real(named) : named;
    if (!this.#contains(file)) throw new Error(`${asked} is outside of the workspace`);
    const path = relative(this.root, file).split(sep).join('/');
    if (isProtected(path)) throw new Error(`${asked} belongs to git or to Patchbay and cannot be reached`);
    return { file, path };
  }

  /** A file to read. Rejects if there is none; the caller closes it. */
  async read(asked: string): Promise<FileHandle> {
    return openFile((await this.find(asked)).file, asked, O_RDONLY);
  }

  /** Writes a whole file; folders that are missing are made. Rejects if the role may not. */
  async write(asked: string, text: string): Promise<void> {
    const { file, path } = await this.find(asked);
    if (!(await this.#turn.mayWrite(path))) {
      const where = path === asked ? path : `${asked} (which is ${path})`;
      throw new Error(`${where} may not be written; this role may write ${this.#turn.writes.join(', ') || 'nothing'}`);
    }
    await mkdir(dirname(file), { recursive: true });
    await using handle = await openFile(file, asked, O_WRONLY | O_CREAT);
    if ((await handle.stat()).nlink > 1) throw new Error(`${asked} has another name elsewhere (a hard link)`);
    await handle.truncate(0);
    await handle.writeFile(text);
  }

  #contains(file: string): boolean {
    return file === this.root || file.startsWith(this.root + sep);
  }
}

/** Whether a relative path belongs to git or to Patchbay, at any depth, however it is spelled. */
export function isProtected(path: string): boolean {
  return /(?:^|\/)\.(?:git|patchbay|agentxchain)(?:\/|$)/i.test(path);
}

/** Without links, as far as it exists. Rejects for a link that leads nowhere: writing there would make what it names. */
async function real(file: string): Promise<string> {
  const there = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return there === undefined ? join(await real(dirname(file)), basename(file)) : realpath(file);
}

/** Pipes and devices would block or worse. */
async function openFile(file: string, asked: string, flags: number): Promise<FileHandle> {
  const handle = await open(file, flags | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`there is no file ${asked}`) : error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${asked} is not a file`);
}
