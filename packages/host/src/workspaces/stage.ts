import { existsSync, lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { git, gitFailed, tryGit } from './git.ts';
import { inMirror, type MirrorOf } from './mirror.ts';

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
export const largeBytes = 100 * 1024 * 1024;
const unusableLimit = 100;

/** Brings the index of a mirror up to date with the files; what git ignores is not among them. */
export async function stage(of: MirrorOf): Promise<Unheld> {
  const call = inMirror(of);
  const listed = await git(['ls-files', '-z', '--modified', '--others', '--exclude-standard'], call);
  const large: Record<string, string> = {};
  const repositories: string[] = [];
  const submodules: string[] = [];
  const wanted: string[] = [];
  for (const path of new Set(listed.split('\0'))) {
    if (path === '') continue;
    const stat = lstatSync(join(of.root, path), { throwIfNoEntry: false });
    // Git shows a repository that it does not know as a folder, and a submodule by its path.
    if (path.endsWith('/')) repositories.push(path.slice(0, -1));
    else if (stat?.isDirectory() && existsSync(join(of.root, path, '.git'))) submodules.push(path);
    else if (stat?.isFile() && stat.size > largeBytes) large[path] = printOf(stat);
    else wanted.push(path);
  }
  return { large, repositories, submodules, unusable: await update(of, wanted) };
}

/** By what a change of a file is noticed without reading it. The last cannot be set by a program. */
export function printOf({ mode, size, ino, mtimeMs, ctimeMs }: Stats): string {
  return [mode, size, ino, mtimeMs, ctimeMs].join(':');
}

async function update(of: MirrorOf, paths: readonly string[]): Promise<string[]> {
  const unusable: string[] = [];
  let wanted = paths;
  while (wanted.length > 0) {
    const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
    const { code, stderr } = await tryGit(args, { ...inMirror(of), stdin: `${wanted.join('\0')}\0` });
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
