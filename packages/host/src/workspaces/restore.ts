import { rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, posix, resolve } from 'node:path';
import type { Change } from './change.ts';
import { git } from './git.ts';
import { inMirror, withIndex } from './mirror.ts';
import { takeBackAdded } from './plain.ts';
import { putBack } from './protected.ts';
import type { Snapshot } from './snapshot.ts';
import { stage } from './stage.ts';
import type { Workspace } from './workspace.ts';

/**
 * Takes changes back, so that those files are as they were in the snapshot. Gives the changes that could not be taken
 * back, because what was there was not kept: a large file, an installed plugin, in a plain workspace any file that was there. Rejects with WORKSPACE_FAILED.
 */
export async function restore(ws: Workspace, changes: readonly Change[], before: Snapshot): Promise<readonly Change[]> {
  if (ws.kind === 'plain') return takeBackAdded(ws, changes);
  const special = changes.filter(isSpecial);
  const held = special.length === 0 ? new Set<string>() : await pathsOf(ws, before);
  const left = special.filter((change) => !takeBack(ws, change, before, held));
  const paths = changes
    .flatMap((change) => (change.from === null ? [change.path] : [change.path, change.from]))
    .filter((path) => !isAbsolute(path))
    .map((path) => fromRoot(ws, path));
  const elsewhere = new Set(special.map(({ path }) => fromRoot(ws, path)).filter((path) => !held.has(path)));
  await byMirror(
    ws,
    paths.filter((path) => !elsewhere.has(path)),
    before.tree,
  );
  return left;
}

/** Links out are files like others to git. */
function isSpecial({ special }: Change): boolean {
  return special !== null && special !== 'link-out';
}

/** Takes back what git does not know of; gives false if that cannot be done. */
function takeBack(
  ws: Workspace,
  { path, kind, special }: Change,
  before: Snapshot,
  held: ReadonlySet<string>,
): boolean {
  const file = resolve(ws.dir, path);
  const isHeld = !isAbsolute(path) && held.has(fromRoot(ws, path));
  if (special === 'protected' && !isHeld) return putBack(ws, file, before.watched);
  if (special === 'large' && kind !== 'added' && !isHeld) return false;
  rmSync(file, { recursive: true, force: true });
  return true;
}

/** All paths of a snapshot, and their folders. */
async function pathsOf(ws: Workspace, { tree }: Snapshot): Promise<Set<string>> {
  const listed = await git(['ls-tree', '-r', '-t', '-z', '--name-only', '--full-tree', tree], inMirror(ws));
  return new Set(listed.split('\0'));
}

async function byMirror(ws: Workspace, paths: readonly string[], tree: string): Promise<void> {
  if (paths.length === 0) return;
  await stage(ws); // Git removes only what it knows.
  const list = join(ws.mirror, 'restore');
  writeFileSync(list, `${paths.join('\0')}\0`);
  const from = ['--pathspec-file-nul', `--pathspec-from-file=${list}`];
  await withIndex(ws, () => git(['restore', `--source=${tree}`, '--staged', '--worktree', ...from], inMirror(ws)));
}

function fromRoot({ repository }: Workspace, path: string): string {
  return posix.join(repository?.prefix ?? '', path);
}
