import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bringCommit, packOf, unpackInto } from './bring.ts';
import { workspaceFailed } from './failure.ts';
import { git, tryGit } from './git.ts';
import { inMirror, makeMirror, setTip, tipOf, withIndex, writeTree } from './mirror.ts';
import { forgetWorktrees, isAncestor, openWorktree, turnSuffix, worktreeAt, writeMade } from './open.ts';
import { type Found, findRepository, type Repository, tipOfBranch } from './repository.ts';
import { stage } from './stage.ts';
import type { Workspace } from './workspace.ts';

/** What there is to know of a worktree besides its objects, so that another host can go on in one that is the same. */
export interface Parcel {
  readonly branch: string | null;
  readonly base: string;
  /** The last commit that was accepted. */
  readonly tip: string;
  /** All files as they are, committed or not. */
  readonly tree: string;
  /** Commits that the repository of the other host must have: the objects are those that come on top of them. */
  readonly needs: readonly string[];
}

/** A parcel, and the objects that come with it. */
export interface Packed {
  readonly parcel: Parcel;
  readonly pack: Uint8Array;
}

/** Where a parcel is to be opened. */
export interface Destination {
  /** Root of the project. */
  readonly project: string;
  readonly run_id: string;
  /** What the run keeps: `.patchbay/runs/<run_id>`, relative to the project or absolute. */
  readonly state: string;
}

/**
 * Packs all that is in a worktree, what is not committed included, with other trees of its mirror. What git ignores stays behind,
 * and so do files that are too large to be kept. Undefined if all of that is in a parcel that is `known`. Rejects with
 * WORKSPACE_FAILED.
 */
export async function packWorkspace(
  ws: Workspace,
  trees: readonly string[],
  known: Parcel | null,
): Promise<Packed | undefined> {
  const { repository, branch, base } = ws;
  const tip = tipOf(ws);
  if (repository === null || base === null || tip === undefined) {
    throw workspaceFailed(`the workspace ${ws.dir} cannot go to another host: it is no worktree`, { file: ws.dir });
  }
  await stage(ws);
  const tree = await writeTree(ws);
  const isKnown = known?.base === base && known.tip === tip && known.tree === tree;
  if (isKnown && trees.every((one) => one === tree)) return undefined;
  const needs = await sharedBelow(repository, base);
  const pack = await packOf(ws, [tip, base, tree, ...trees], needs);
  return { parcel: { branch, base, tip, tree, needs }, pack };
}

/**
 * Opens the worktree of a run, or of one of its turns, as it was packed; what was there is removed before by `dropWorkspaces`.
 * Rejects with WORKSPACE_FAILED, which names a commit that is missing here.
 */
export async function openParcel(
  to: Destination,
  turn_id: string | null,
  { parcel, pack }: Packed,
): Promise<Workspace> {
  const { repository, place } = await destinationOf(to);
  await refuseMissing(repository, to, parcel);
  const { branch, base, tip, tree, needs } = parcel;
  const made = { kind: 'worktree', branch, base } as const;
  const at = { ...place, ...worktreeAt(place.state, turn_id === null ? '' : turnSuffix(turn_id), repository) };
  const ws: Workspace = { ...at, ...made };
  makeMirror(ws);
  // Git is called there; the worktree takes its place.
  mkdirSync(ws.root, { recursive: true });
  await withFile(place.state, pack, (stdinFile) => git(['index-pack', '--stdin'], { ...inMirror(ws), stdinFile }));
  await bringCommit(ws, repository, tip, needs);
  setTip(ws, tip);
  writeMade(ws, made);
  await openWorktree(at, made);
  await withIndex(ws, () => git(['read-tree', '--reset', '-u', tree], inMirror(ws)));
  return ws;
}

/**
 * Has the branch of a parcel in the repository, where it may be behind or missing. One that holds more, as people have gone on
 * with it, stays as it is. Rejects with WORKSPACE_FAILED.
 */
export async function bringBranch(to: Destination, { parcel, pack }: Packed): Promise<void> {
  const { repository, place } = await destinationOf(to);
  const { branch, tip } = parcel;
  if (branch === null) return;
  await refuseMissing(repository, to, parcel);
  await withFile(place.state, pack, (file) => unpackInto(repository, file));
  const here = await tipOfBranch(repository, branch);
  if (here !== undefined && !(await isAncestor(repository, here, tip))) return;
  const { common } = repository;
  await git(['update-ref', `refs/heads/${branch}`, tip], { cwd: common, gitDir: common });
}

/** The commit that a branch is at in the repository of a project; undefined if there is no such branch, or no repository. */
export async function branchIn(project: string, branch: string): Promise<string | undefined> {
  const found = await findRepository(realpathSync(project));
  return found === undefined ? undefined : tipOfBranch(found.repository, branch);
}

/** Removes all worktrees of a run, whatever is in them; its branch stays. */
export async function dropWorkspaces(to: Destination): Promise<void> {
  const { repository, place } = await destinationOf(to);
  forgetWorktrees(place.state, repository);
  rmSync(join(place.state, 'workspace.json'), { force: true });
}

async function destinationOf({ project, run_id, state }: Destination): Promise<Found & { place: Place }> {
  const home = realpathSync(project);
  mkdirSync(resolve(home, state), { recursive: true });
  const found = await findRepository(home);
  if (found !== undefined) return { ...found, place: { project: home, state: realpathSync(resolve(home, state)) } };
  const hint = 'Have a clone of the same repository on every host.';
  throw workspaceFailed(`run ${run_id} works in a git repository, and ${home} is in none`, { file: home, hint });
}

type Place = Pick<Workspace, 'project' | 'state'>;

/**
 * The newest commits below this one that other clones should have: those that came from a remote, or, where there is none, those
 * of what is checked out.
 */
async function sharedBelow({ common }: Repository, commit: string): Promise<string[]> {
  const call = { cwd: common, gitDir: common };
  const remote = await git(['for-each-ref', '--count=1', 'refs/remotes'], call);
  const known = remote === '' ? 'HEAD' : '--remotes';
  const lines = (await git(['rev-list', '--boundary', commit, '--not', known], call))
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length === 0) return [commit];
  return lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1));
}

async function refuseMissing(
  { common }: Repository,
  { project, run_id }: Destination,
  { needs }: Parcel,
): Promise<void> {
  for (const commit of needs) {
    const { code } = await tryGit(['cat-file', '-e', `${commit}^{commit}`], { cwd: common, gitDir: common });
    if (code === 0) continue;
    const hint = `Bring it here: \`git fetch\` in ${project}; where it was never pushed, push it from the host that has it.`;
    const message = `run ${run_id} was begun on another host from commit ${commit}, which is not in the repository here`;
    throw workspaceFailed(message, { file: project, hint });
  }
}

async function withFile<T>(state: string, content: Uint8Array, use: (file: string) => Promise<T>): Promise<T> {
  const file = join(state, 'parcel.pack');
  writeFileSync(file, content, { mode: 0o600 });
  try {
    return await use(file);
  } finally {
    rmSync(file, { force: true });
  }
}
