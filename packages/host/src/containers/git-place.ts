import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Where the repository of a project keeps what it knows; undefined if it is in none. By the project's own files, never by those
 * of a worktree: an agent could have them name whatever it wants to see.
 */
export function gitPlace(project: string): string | undefined {
  for (let dir = resolve(project); ; dir = dirname(dir)) {
    const git = join(dir, '.git');
    const found = statSync(git, { throwIfNoEntry: false });
    if (found?.isDirectory()) return git;
    if (found?.isFile()) return commonOf(dir, git);
    if (dir === dirname(dir)) return undefined;
  }
}

/** The project may itself be in a worktree. */
function commonOf(dir: string, file: string): string | undefined {
  const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (named === undefined) return undefined;
  const admin = resolve(dir, named);
  const common = join(admin, 'commondir');
  return existsSync(common) ? resolve(admin, readFileSync(common, 'utf8').trim()) : admin;
}
