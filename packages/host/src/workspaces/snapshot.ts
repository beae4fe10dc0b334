import { realpathSync } from 'node:fs';
import { basename, dirname, join, posix, resolve, sep } from 'node:path';
import type { Change } from './change.ts';
import { git } from './git.ts';
import { inMirror, writeTree } from './mirror.ts';
import { changedSince, listed } from './plain.ts';
import { linkTarget, protectedChanges, protectedIn, type Watched, watch } from './protected.ts';
import { stage, type Unheld } from './stage.ts';
import type { Workspace } from './workspace.ts';

/** What was there at one time. Plain data, to be kept while a turn runs; the contents of files are in the mirror. */
export interface Snapshot extends Unheld {
  /** The id of all files that git does not ignore; of a plain workspace, the list of its files. */
  readonly tree: string;
  /** What lies outside of them, and must not change. */
  readonly watched: Watched;
}

/** Of a plain workspace nothing else is looked at: its programs cannot write elsewhere in the project. */
const nothing = { large: {}, repositories: [], submodules: [], unusable: [], watched: {} };

/** What is in a workspace now. Rejects with WORKSPACE_FAILED if git cannot say. */
export async function snapshot(ws: Workspace): Promise<Snapshot> {
  if (ws.kind === 'plain') return { ...nothing, tree: listed(ws) };
  const watched = watch(ws);
  const unheld = await stage(ws);
  return { tree: await writeTree(ws), ...unheld, watched };
}

/**
 * What has changed since a snapshot, whoever says what: untracked files, commits and flags that the agent made
 * included, files that git ignores not. Whatever belongs to git or to Patchbay is told even if it is ignored or
 * elsewhere. Rejects with WORKSPACE_FAILED.
 */
export async function observe(ws: Workspace, before: Snapshot): Promise<readonly Change[]> {
  if (ws.kind === 'plain') return changedSince(ws, before.tree);
  const guarded = await protectedChanges(ws, before.watched);
  const unheld = await stage(ws);
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-abbrev', '--find-renames', before.tree];
  const seen = changesIn(await git(args, inMirror(ws)));
  const all = [...guarded, ...seen.map((one) => judged(ws, one)), ...unheldChanges(ws, before, unheld)];
  return [...new Map(all.map((change) => [change.path, change])).values()].sort(byPath);
}

interface Seen extends Omit<Change, 'special'> {
  readonly link: boolean;
}

const kinds: Readonly<Record<string, Change['kind']>> = { A: 'added', D: 'deleted', R: 'renamed' };

/** Reads the raw form: `:mode mode id id status`, then one path, or two where it was renamed. */
function changesIn(raw: string): Seen[] {
  const parts = raw.split('\0');
  const seen: Seen[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const [modeBefore, mode, idBefore, id, status = ''] = (parts[at] ?? '').slice(1).split(' ');
    const letter = status.charAt(0);
    const paths = parts.slice(at + 1, at + (letter === 'R' ? 3 : 2));
    at += 1 + paths.length;
    const onlyMode = letter === 'M' && idBefore === id && modeBefore !== mode;
    seen.push({
      path: paths.at(-1) ?? '',
      kind: kinds[letter] ?? (onlyMode ? 'mode' : 'modified'),
      from: letter === 'R' ? (paths[0] ?? null) : null,
      link: mode === '120000',
    });
  }
  return seen;
}

function judged(ws: Workspace, { path, kind, from, link }: Seen): Change {
  const own = protectedIn(ws, path) || (from !== null && protectedIn(ws, from));
  const special = own ? 'protected' : link && leadsOut(ws, path) ? 'link-out' : null;
  return { path: relativeTo(ws, path), kind, from: from === null ? null : relativeTo(ws, from), special };
}

function unheldChanges(ws: Workspace, before: Snapshot, now: Unheld): Change[] {
  const told = (path: string, kind: Change['kind'], special: Change['special']): Change => {
    return { path: relativeTo(ws, path), kind, from: null, special };
  };
  const changes: Change[] = [];
  for (const [path, print] of Object.entries(now.large)) {
    const was = before.large[path];
    if (was !== print) changes.push(told(path, was === undefined ? 'added' : 'modified', 'large'));
  }
  for (const path of Object.keys(before.large)) {
    if (now.large[path] === undefined) changes.push(told(path, 'deleted', 'large'));
  }
  const fresh = (list: 'repositories' | 'unusable') => now[list].filter((path) => !before[list].includes(path));
  return [
    ...changes,
    ...fresh('repositories').map((path) => told(path, 'added', 'repository')),
    ...fresh('unusable').map((path) => told(path, 'modified', 'unusable')),
  ];
}

/** Git knows paths from the root of the worktree; everybody else from the folder of the project in it. */
function relativeTo({ repository }: Workspace, path: string): string {
  const prefix = repository?.prefix ?? '';
  return prefix === '' ? path : posix.relative(prefix, path);
}

/** Whether a link leads out of the workspace, or to what belongs to git. */
function leadsOut({ root }: Workspace, path: string): boolean {
  const file = join(root, path);
  const target = linkTarget(file);
  if (target === undefined) return false;
  const end = followed(resolve(followed(dirname(file)), target));
  const inside = end === root || end.startsWith(root + sep);
  return !inside || end.slice(root.length).split(sep)[1] === '.git';
}

/** A path without links, as far as it exists. */
function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(followed(above), basename(path));
  }
}

function byPath(a: Change, b: Change): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
