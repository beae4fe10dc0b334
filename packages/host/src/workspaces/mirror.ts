import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GitCall, git } from './git.ts';
import type { Workspace } from './workspace.ts';

/**
 * A mirror is a git folder of the host's own over the files of a workspace: an index that no agent has flagged, objects
 * that go away with the run, and none of the repository's settings. So nothing that an agent does to the
 * repository changes what the host sees, or makes git run something. Its HEAD is the last commit that was accepted.
 */
export type MirrorOf = Pick<Workspace, 'mirror' | 'root' | 'repository'>;

// Not part of a project's work; the first two are looked after by `protected.ts`.
const notWork = ['/.patchbay/', '/.agentxchain/', '.git', 'node_modules/'];

/** How git is called with a mirror. */
export function inMirror({ mirror, root, repository }: MirrorOf): GitCall & { settings: Record<string, string> } {
  return { cwd: root, gitDir: mirror, settings: { 'core.bare': 'false', ...repository?.settings } };
}

/** Makes a mirror, or brings one that is there up to date. What a killed host left half done is removed. */
export async function makeMirror({ mirror, repository }: MirrorOf): Promise<void> {
  mkdirSync(mirror, { recursive: true });
  const format = repository?.objectFormat ?? 'sha1';
  await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, mirror], { cwd: mirror });
  rmSync(join(mirror, 'index.lock'), { force: true });
  mkdirSync(join(mirror, 'info'), { recursive: true });
  if (repository === null) {
    writeFileSync(join(mirror, 'info', 'exclude'), `${notWork.join('\n')}\n`);
    return;
  }
  for (const name of ['info/exclude', 'shallow']) {
    const file = join(repository.common, name);
    if (existsSync(file)) copyFileSync(file, join(mirror, name));
    else rmSync(join(mirror, name), { force: true });
  }
  const objects = join(repository.common, 'objects');
  mkdirSync(join(mirror, 'objects', 'info'), { recursive: true });
  writeFileSync(join(mirror, 'objects', 'info', 'alternates'), `${JSON.stringify(objects)}\n`);
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
  await git(['read-tree', '--reset', '-u', commit], inMirror(of));
}
