import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GitCall, git } from './git.ts';
import { writeWhole } from './whole.ts';
import type { Workspace } from './workspace.ts';

/**
 * A mirror is a git folder of the host's own over the files of a workspace: an index that no agent has flagged, objects
 * that go away with the run, and none of the repository's settings. So nothing that an agent does to the
 * repository changes what the host sees, or makes git run something. Its HEAD is the last commit that was accepted.
 */
export type MirrorOf = Pick<Workspace, 'mirror' | 'root' | 'repository'>;

// Not part of a project's work; the first two are looked after by `protected.ts`, the third is written by the host.
const notWork = ['/.patchbay/', '/.agentxchain/', '/.pace/', '.git', 'node_modules/'];

/** How git is called with a mirror. */
export function inMirror({ mirror, root, repository }: MirrorOf): GitCall & { settings: Record<string, string> } {
  return { cwd: root, gitDir: mirror, settings: { 'core.bare': 'false', ...repository?.settings } };
}

/**
 * Takes out of a mirror what git would obey, before it is used: an agent runs as the same user, and knows where it is.
 */
export function cleanMirror({ mirror, repository }: MirrorOf): void {
  const format = repository?.objectFormat ?? 'sha1';
  const [version, extension] = format === 'sha1' ? [0, ''] : [1, `[extensions]\n\tobjectFormat = ${format}\n`];
  settle(join(mirror, 'config'), `[core]\n\trepositoryformatversion = ${version}\n${extension}`);
  for (const name of ['commondir', 'config.worktree', 'info/attributes', 'info/grafts']) {
    rmSync(join(mirror, name), { recursive: true, force: true });
  }
}

/** Makes a mirror, or brings one that is there up to date. What a killed host left half done is removed. */
export function makeMirror(of: MirrorOf): void {
  const { mirror, repository } = of;
  for (const name of ['info', 'objects/info', 'refs']) mkdirSync(join(mirror, name), { recursive: true });
  if (!existsSync(join(mirror, 'HEAD'))) writeWhole(join(mirror, 'HEAD'), 'ref: refs/heads/none\n');
  cleanMirror(of);
  removeStale(join(mirror, 'index.lock'));
  if (repository === null) {
    settle(join(mirror, 'info/exclude'), `${notWork.join('\n')}\n`);
    return;
  }
  for (const name of ['info/exclude', 'shallow']) settle(join(mirror, name), contentOf(join(repository.common, name)));
  settle(join(mirror, 'objects/info/alternates'), `${JSON.stringify(join(repository.common, 'objects'))}\n`);
}

/** Has a file say this, or not be there. It is not touched if it does: others may be reading it. */
function settle(file: string, content: string | undefined): void {
  if (contentOf(file) === content) return;
  if (content === undefined) rmSync(file, { recursive: true, force: true });
  else writeWhole(file, content);
}

function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Does something that writes the index of a mirror when nobody else in this process does: git does not wait. */
export function withIndex<T>({ mirror }: Pick<Workspace, 'mirror'>, act: () => Promise<T>): Promise<T> {
  const done = (writing.get(mirror) ?? Promise.resolve()).then(act);
  const settled = done
    .catch(() => {})
    .then(() => {
      if (writing.get(mirror) === settled) writing.delete(mirror);
    });
  writing.set(mirror, settled);
  return done;
}

/** By mirror: when the last writer is done. */
const writing = new Map<string, Promise<void>>();

/** Removes a lock that an earlier host left; those of this one are in use. */
function removeStale(lock: string): void {
  const stat = lstatSync(lock, { throwIfNoEntry: false });
  if (stat !== undefined && stat.mtimeMs < performance.timeOrigin) rmSync(lock, { force: true });
}

/** The last accepted commit; undefined if there is none. */
export function tipOf({ mirror }: Pick<Workspace, 'mirror'>): string | undefined {
  try {
    const head = readFileSync(join(mirror, 'HEAD'), 'utf8').trim();
    return head.startsWith('ref:') ? undefined : head;
  } catch {
    return undefined;
  }
}

/** Writes down the last accepted commit. */
export function setTip({ mirror }: Pick<Workspace, 'mirror'>, commit: string): void {
  const file = join(mirror, 'HEAD');
  writeFileSync(`${file}.next`, `${commit}\n`, { flush: true });
  renameSync(`${file}.next`, file);
}

/** Puts the files of a commit into an empty workspace. */
export async function fill(of: MirrorOf, commit: string): Promise<void> {
  rmSync(join(of.mirror, 'index'), { force: true });
  await withIndex(of, () => git(['read-tree', '--reset', '-u', commit], inMirror(of)));
}

/** The id of all files that are in the index. */
export async function writeTree(of: MirrorOf): Promise<string> {
  return (await withIndex(of, () => git(['write-tree'], inMirror(of)))).trim();
}
