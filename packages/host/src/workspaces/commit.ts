import { bringCommit } from './bring.ts';
import { workspaceFailed } from './failure.ts';
import { git, tryGit } from './git.ts';
import { inMirror, setTip, tipOf, withIndex, writeTree } from './mirror.ts';
import type { Repository } from './repository.ts';
import { stage } from './stage.ts';
import type { Workspace } from './workspace.ts';
import { pointWorktree } from './worktree.ts';

/** What a commit says about itself. */
export interface CommitText {
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
}

/**
 * Makes all that is in a workspace now one commit on top of what was accepted before, whatever commits the agent made.
 * No hook runs, nothing is signed. Gives the commit: the last one if nothing has changed since, so that doing it again
 * after a crash is harmless; null for a folder. Rejects with WORKSPACE_FAILED.
 */
export async function commitTurn(ws: Workspace, { message, author }: CommitText): Promise<string | null> {
  const { repository } = ws;
  if (repository === null) return null;
  await stage(ws);
  const tip = acceptedIn(ws);
  const tree = await writeTree(ws);
  if (tree === (await treeOf(ws, tip))) {
    await pointWorktree(ws, repository, tip);
    return tip;
  }
  const call = { ...inMirror(ws), stdin: message, author };
  const commit = (await git(['commit-tree', tree, '-p', tip, '-F', '-'], call)).trim();
  await accept(ws, repository, commit, tip);
  return commit;
}

/** What came of bringing the work of a turn into its run. */
export type Merged =
  | { readonly ok: true; readonly commit: string }
  | { readonly ok: false; readonly conflicts: readonly string[] };

/**
 * Brings what is committed in the worktree of a turn into the run's: as it is if nothing else came in meanwhile, else
 * by a merge. Where both changed the same lines nothing is done. One at a time for each run. Rejects with
 * WORKSPACE_FAILED.
 */
export async function mergeTurn(run: Workspace, turn: Workspace): Promise<Merged> {
  const { repository } = run;
  if (repository === null) throw workspaceFailed('a folder has no turns of its own to merge', { file: run.dir });
  const [ours, theirs] = [acceptedIn(run), acceptedIn(turn)];
  if (ours === theirs || theirs === turn.base) return { ok: true, commit: ours };
  const merged = await merge(run, ours, theirs);
  if ('conflicts' in merged) return { ok: false, conflicts: merged.conflicts };
  const { tree } = merged;
  if (tree === (await treeOf(run, ours))) return { ok: true, commit: ours };
  const call = inMirror(run);
  const parents = ours === turn.base ? undefined : ['-p', ours, '-p', theirs, '-m', 'Merge the work of a turn'];
  const commit = parents === undefined ? theirs : (await git(['commit-tree', tree, ...parents], call)).trim();
  // Fails where something is not committed, which the next one tells better.
  await withIndex(run, () => tryGit(['update-index', '-q', '--refresh'], call));
  await withIndex(run, () => git(['read-tree', '-m', '-u', ours, commit], call));
  await accept(run, repository, commit, ours);
  return { ok: true, commit };
}

async function merge(ws: Workspace, ours: string, theirs: string) {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const { code, stdout, stderr } = await tryGit(args, inMirror(ws));
  const [tree = '', ...conflicts] = stdout.split('\0').filter((part) => part !== '');
  if (code === 0) return { tree };
  if (code === 1) return { conflicts };
  const hint = 'Turns at the same time need git 2.38 or newer.';
  throw workspaceFailed(`git could not merge: ${stderr.trim()}`, { hint });
}

/** Brings a commit from the mirror into the repository, with what it needs, and makes it the last accepted one. */
async function accept(ws: Workspace, repository: Repository, commit: string, since: string): Promise<void> {
  await bringCommit(ws, repository, commit, [since]);
  await pointWorktree(ws, repository, commit);
  setTip(ws, commit);
}

async function treeOf(ws: Workspace, commit: string): Promise<string> {
  return (await git(['rev-parse', '--verify', `${commit}^{tree}`], inMirror(ws))).trim();
}

function acceptedIn(ws: Workspace): string {
  const tip = tipOf(ws);
  if (tip === undefined) throw workspaceFailed(`the workspace ${ws.dir} is not open`, { file: ws.mirror });
  return tip;
}
