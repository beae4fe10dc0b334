import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { workspaceDirty, workspaceFailed } from './failure.ts';
import { git, tryGit } from './git.ts';
import { fill, makeMirror, setTip, tipOf } from './mirror.ts';
import { type Found, findRepository, refuseDirty, tipOfBranch } from './repository.ts';
import { writeWhole } from './whole.ts';
import type { Workspace } from './workspace.ts';
import { addWorktree, adminOf, forgetWorktree, pointWorktree } from './worktree.ts';

/** What `openWorkspace` needs. */
export interface OpenWorkspace {
  /** Root of the project. */
  readonly project: string;
  readonly run_id: string;
  /** What the run keeps: `.patchbay/runs/<run_id>`, relative to the project or absolute. */
  readonly state: string;
  /** What to do where something is not committed, which a run would not see. @default 'refuse' */
  readonly dirty?: 'refuse' | 'ignore';
  /** The branch to begin with, if there is one of this name and it holds more than what is checked out. @default what is checked out */
  readonly from?: string | undefined;
  /** A branch to begin with in its place, only if it holds all that is checked out. */
  readonly ahead?: string | undefined;
}

/** What was decided when a workspace was made; it is there when the workspace is whole. */
interface Made {
  readonly kind: Workspace['kind'];
  readonly branch: string | null;
  readonly base: string | null;
}

/**
 * Opens the workspace of a run: makes it, or finds what is there, half made or whole. Rejects with WORKSPACE_DIRTY,
 * which names the files, when something is not committed or there is no commit at all; with WORKSPACE_FAILED when git
 * fails.
 */
export async function openWorkspace(options: OpenWorkspace): Promise<Workspace> {
  const { project, run_id, state } = options;
  const home = realpathSync(project);
  mkdirSync(resolve(home, state), { recursive: true });
  const place = { project: home, state: realpathSync(resolve(home, state)) };
  const made = readMade(place.state, 'workspace.json');
  const found = made?.kind === 'folder' ? undefined : await findRepository(home);
  if (found === undefined) {
    if (made?.kind === 'worktree') throw workspaceFailed(`${home} is no longer in a git repository`);
    return openFolder(place, made);
  }
  const at = made ?? (await begin(home, `patchbay/${run_id}`, found, options));
  return openWorktree({ ...place, ...worktreeAt(place.state, '', found.repository) }, at);
}

async function begin(
  project: string,
  branch: string,
  found: Found,
  { dirty = 'refuse', from, ahead }: OpenWorkspace,
): Promise<Made> {
  const { head, repository } = found;
  if (head === null) {
    const hint = 'Make a first commit: `git add --all && git commit`.';
    throw workspaceDirty('the repository has no commit yet: there is nothing to begin with', project, hint);
  }
  if (dirty === 'refuse') await refuseDirty(project, found);
  const base = (await unmerged(repository, from, head)) ?? (await tipAhead(repository, ahead, head)) ?? head;
  await refuseForeignBranch(repository, branch, base);
  return { kind: 'worktree', branch, base };
}

/**
 * Opens a worktree of its own for one of several turns at the same time, from what the run has accepted so far. A
 * folder cannot be had twice: there it is the run's own workspace, and turns should work one after the other.
 */
export async function openTurnWorkspace(run: Workspace, turn_id: string): Promise<Workspace> {
  if (run.repository === null) return run;
  const suffix = turnSuffix(turn_id);
  const made = readMade(run.state, `workspace${suffix}.json`);
  const at = made ?? { kind: 'worktree', branch: null, base: tipOf(run) ?? run.base };
  return openWorktree({ ...run, ...worktreeAt(run.state, suffix, run.repository) }, at);
}

/**
 * Removes the worktrees of a run and of its turns, with all that is not accepted. The branch stays if it is to be kept.
 */
export async function closeWorkspace(run: Workspace, { keepBranch }: { readonly keepBranch: boolean }): Promise<void> {
  const { state, repository, branch } = run;
  forgetWorktrees(state, repository);
  // What was made stays known as long as the branch does: opened again, the run goes on with it.
  if (repository === null || branch === null || keepBranch) return;
  rmSync(madeFile(run), { force: true });
  await git(['update-ref', '-d', `refs/heads/${branch}`], { cwd: repository.common, gitDir: repository.common });
}

/** Removes the worktrees that a run has in its state folder, and how they were looked at; what the run was begun with stays known. */
export function forgetWorktrees(state: string, repository: Found['repository'] | null): void {
  for (const name of readdirSync(state)) {
    if (repository !== null && /^work(?:-|$)/.test(name)) forgetWorktree(repository, join(state, name));
    if (/^git(?:-|$)|^workspace-.*\.json$/.test(name)) rmSync(join(state, name), { recursive: true, force: true });
  }
}

/** Removes the worktree of one turn, when its work is merged or given up. Does nothing to the run's own. */
export function closeTurnWorkspace(run: Workspace, turn: Workspace): void {
  if (turn.repository === null || turn.root === run.root) return;
  forgetWorktree(turn.repository, turn.root);
  rmSync(turn.mirror, { recursive: true, force: true });
  rmSync(madeFile(turn), { force: true });
}

function openFolder({ project, state }: Pick<Workspace, 'project' | 'state'>, known: Made | undefined): Workspace {
  const made: Made = { kind: 'folder', branch: null, base: null };
  const place = { project, state, dir: project, root: project, mirror: join(state, 'git') };
  const ws: Workspace = { ...made, ...place, repository: null };
  makeMirror(ws);
  if (known === undefined) writeMade(ws, made);
  return ws;
}

/** Opens a worktree in its place: as it is, or, where it is not whole, with what was accepted last. */
export async function openWorktree(
  place: Omit<Workspace, 'kind' | 'branch' | 'base' | 'repository'> & { repository: Found['repository'] },
  made: Made,
): Promise<Workspace> {
  const ws: Workspace = { ...place, ...made };
  const { repository } = place;
  makeMirror(ws);
  const whole =
    existsSync(madeFile(ws)) && existsSync(join(ws.root, '.git')) && adminOf(repository, ws.root) !== undefined;
  if (whole) return ws;
  const commit = existsSync(madeFile(ws)) ? (tipOf(ws) ?? (await branchCommit(ws, repository))) : made.base;
  if (commit === null) throw workspaceFailed(`nothing is left of what was accepted: ${ws.branch} is gone`);
  await addWorktree(repository, ws, commit);
  await fill(ws, commit);
  await pointWorktree(ws, repository, commit);
  mkdirSync(ws.dir, { recursive: true });
  setTip(ws, commit);
  writeMade(ws, made);
  return ws;
}

async function branchCommit({ branch }: Workspace, { common }: Found['repository']): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
  const { code, stdout } = await tryGit(args, { cwd: common, gitDir: common });
  return code === 0 ? stdout.trim() : null;
}

type Repository = Found['repository'];

/** The tip of a branch, unless what is checked out holds all of it: people may have gone on from there. */
async function unmerged(repository: Repository, branch: string | undefined, head: string): Promise<string | undefined> {
  const tip = branch === undefined ? undefined : await tipOfBranch(repository, branch);
  return tip === undefined || (await isAncestor(repository, tip, head)) ? undefined : tip;
}

/** The tip of a branch that holds all that is checked out. */
async function tipAhead(repository: Repository, branch: string | undefined, head: string): Promise<string | undefined> {
  const tip = branch === undefined ? undefined : await tipOfBranch(repository, branch);
  return tip !== undefined && (await isAncestor(repository, head, tip)) ? tip : undefined;
}

/** Whether a commit holds all of an earlier one. */
export async function isAncestor({ common }: Repository, earlier: string, later: string): Promise<boolean> {
  const { code } = await tryGit(['merge-base', '--is-ancestor', earlier, later], { cwd: common, gitDir: common });
  return code === 0;
}

/** A branch of this name that somebody else made would be lost; what a killed host left is where a run begins. */
async function refuseForeignBranch({ common }: Found['repository'], branch: string, head: string): Promise<void> {
  const args = ['merge-base', '--is-ancestor', `refs/heads/${branch}`, head];
  const { code } = await tryGit(args, { cwd: common, gitDir: common });
  if (code !== 1) return;
  const hint = `Rename it, or delete it with \`git branch -D ${branch}\`.`;
  throw workspaceFailed(`there is a branch ${branch} already, with commits of its own`, { hint });
}

/** By what the names of a turn's worktree, mirror and file differ from the run's. */
export function turnSuffix(turn_id: string): string {
  return `-${encodeURIComponent(turn_id)}`;
}

/** Where a worktree and its mirror are in the state folder of a run. */
export function worktreeAt(state: string, suffix: string, repository: Found['repository']) {
  const root = join(state, `work${suffix}`);
  return { root, dir: resolve(root, repository.prefix), mirror: join(state, `git${suffix}`), repository };
}

function madeFile({ state, mirror }: Pick<Workspace, 'state' | 'mirror'>): string {
  return join(state, `workspace${mirror.slice(join(state, 'git').length)}.json`);
}

/** What the workspace of a run is that has this state folder; undefined if it has none yet. */
export function workspaceKind(state: string): Workspace['kind'] | undefined {
  return readMade(state, 'workspace.json')?.kind;
}

function readMade(state: string, name: string): Made | undefined {
  try {
    return JSON.parse(readFileSync(join(state, name), 'utf8')) as Made;
  } catch {
    return undefined;
  }
}

/** Writes down that a worktree is whole, and what it was made from. */
export function writeMade(ws: Workspace, { kind, branch, base }: Made): void {
  writeWhole(madeFile(ws), `${JSON.stringify({ kind, branch, base })}\n`);
}
