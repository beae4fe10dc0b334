import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workspaceFailed } from './failure.ts';
import { durable, git } from './git.ts';
import type { Repository } from './repository.ts';
import type { Workspace } from './workspace.ts';

/** What a killed host began, git may still be finishing in the same place: then it is made again, so often. */
const tries = 5;
const pauseMs = 200;

/** What the repository itself keeps about a worktree; undefined if it does not know it. */
export function adminOf({ common }: Repository, root: string): string | undefined {
  const folder = join(common, 'worktrees');
  if (!existsSync(folder)) return undefined;
  const wanted = real(root);
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .find((admin) => rootOf(admin) === wanted);
}

/** Makes a worktree, without files, on a branch or on none; whatever was there is removed. */
export async function addWorktree(repository: Repository, at: Pick<Workspace, 'root' | 'branch'>, commit: string) {
  const on = at.branch === null ? ['--detach'] : ['--no-track', '-B', at.branch];
  const call = { cwd: repository.common, gitDir: repository.common };
  for (let left = tries; ; left--) {
    forgetWorktree(repository, at.root);
    try {
      await git(['worktree', 'add', '--quiet', '--no-checkout', ...on, '--', at.root, commit], call);
      return;
    } catch (error) {
      if (left === 0) throw error;
      await sleep(pauseMs);
    }
  }
}

/**
 * Removes a worktree, whole or half made, and what the repository keeps about it. Not by `git worktree prune`: others'
 * may be away.
 */
export function forgetWorktree(repository: Repository, root: string): void {
  for (let admin = adminOf(repository, root); admin !== undefined; admin = adminOf(repository, root)) {
    rmSync(admin, { recursive: true, force: true });
  }
  rmSync(root, { recursive: true, force: true });
}

/**
 * Has the repository agree with what is accepted: the branch and HEAD of the worktree are at this commit, whatever an
 * agent did to them, and its index says that the files are those of the commit.
 */
export async function pointWorktree(ws: Workspace, repository: Repository, commit: string): Promise<void> {
  const admin = adminOf(repository, ws.root);
  if (admin === undefined) throw workspaceFailed(`the repository no longer knows the worktree ${ws.root}`);
  const call = { cwd: ws.root, gitDir: admin, settings: durable };
  for (const name of ['HEAD.lock', 'index.lock']) rmSync(join(admin, name), { force: true });
  if (ws.branch === null) {
    await git(['update-ref', '--no-deref', 'HEAD', commit], call);
  } else {
    const ref = `refs/heads/${ws.branch}`;
    rmSync(join(repository.common, `${ref}.lock`), { force: true });
    await git(['update-ref', ref, commit], call);
    await git(['symbolic-ref', 'HEAD', ref], call);
  }
  copyFileSync(join(ws.mirror, 'index'), join(admin, 'index.next'));
  renameSync(join(admin, 'index.next'), join(admin, 'index'));
}

function rootOf(admin: string): string | undefined {
  try {
    // The path of the `.git` file in the worktree; newer versions of git may write it relative.
    return real(dirname(resolve(admin, readFileSync(join(admin, 'gitdir'), 'utf8').trim())));
  } catch {
    return undefined;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
