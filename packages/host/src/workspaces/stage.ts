import { existsSync, lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, gitFailed, tryGit } from './git.ts';
import { cleanMirror, inMirror, type MirrorOf, withIndex } from './mirror.ts';

/** What is in a workspace that a mirror does not hold; paths from the root. */
export interface Unheld {
  /** Files above the size that is kept: by path, by what a change would be noticed. */
  readonly large: Readonly<Record<string, string>>;
  /** Repositories that somebody put there. */
  readonly repositories: readonly string[];
  /** Submodules at another commit than the repository says. They are not looked into, and stay as they are. */
  readonly submodules: readonly string[];
  /** Files that git cannot read, or whose name it does not allow. */
  readonly unusable: readonly string[];
}

/** Above it, a file is neither kept nor committed: what hosts of repositories allow. */
const largeBytes = 100 * 1024 * 1024;
const unusableLimit = 100;

/** Brings the index of a mirror up to date with the files; what git ignores is not among them. */
export async function stage(of: MirrorOf): Promise<Unheld> {
  cleanMirror(of);
  const args = ['ls-files', '-z', '--modified', '--others', '--exclude-standard'];
  const listed = await git(args, inMirror(of));
  const isFolder = folders(of.root);
  const large: Record<string, string> = {};
  const [repositories, submodules, gone, wanted]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const path of new Set(listed.split('\0'))) {
    if (path === '') continue;
    const stat = isFolder(dirname(path)) ? lstatSync(join(of.root, path), { throwIfNoEntry: false }) : undefined;
    // Git shows a repository that it does not know as a folder, and a submodule by its path.
    if (path.endsWith('/')) repositories.push(path.slice(0, -1));
    else if (stat?.isDirectory() && existsSync(join(of.root, path, '.git'))) submodules.push(path);
    else if (stat === undefined || stat.isDirectory()) gone.push(path);
    else if (stat.size > largeBytes) large[path] = printOf(stat);
    else wanted.push(path);
  }
  await remove(of, gone);
  return { large, repositories, submodules, unusable: await update(of, wanted) };
}

/** By what a change of a file is noticed without reading it. The last cannot be set by a program. */
export function printOf({ mode, size, ino, mtimeMs, ctimeMs }: Stats): string {
  return [mode, size, ino, mtimeMs, ctimeMs].join(':');
}

/** Tells whether a path from the root is a folder without links on the way to it. */
function folders(root: string): (path: string) => boolean {
  const known = new Map<string, boolean>([['.', true]]);
  return function isFolder(path: string): boolean {
    const found = known.get(path);
    if (found !== undefined) return found;
    const is =
      isFolder(dirname(path)) && lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
    known.set(path, is);
    return is;
  };
}

/** Apart from the rest: git does not take out by itself what has a link or another folder in its place. */
async function remove(of: MirrorOf, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const call = { ...inMirror(of), stdin: `${paths.join('\0')}\0` };
  await withIndex(of, () => git(['update-index', '-z', '--force-remove', '--stdin'], call));
}

async function update(of: MirrorOf, paths: readonly string[]): Promise<string[]> {
  const unusable: string[] = [];
  let wanted = paths;
  while (wanted.length > 0) {
    const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
    const call = { ...inMirror(of), stdin: `${wanted.join('\0')}\0` };
    const { code, stderr } = await withIndex(of, () => tryGit(args, call));
    unusable.push(...[...stderr.matchAll(/^Ignoring path (.+)$/gm)].map(([, path]) => path ?? ''));
    if (code === 0) break;
    const [, culprit] = /^fatal: Unable to process path (.+)$/m.exec(stderr) ?? [];
    const rest = wanted.filter((path) => path !== culprit);
    if (culprit === undefined || rest.length === wanted.length || unusable.length > unusableLimit) {
      throw gitFailed(args, stderr);
    }
    unusable.push(culprit);
    wanted = rest;
  }
  return unusable;
}
