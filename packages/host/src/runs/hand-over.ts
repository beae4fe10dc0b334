import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Artifacts } from '../artifacts/index.ts';
import { stateDir } from '../config/state.ts';
import { openTurnWorkspace, openWorkspace, type Workspace, workspaceKind } from '../workspaces/index.ts';
import { Bundles } from './bundles.ts';
import { isParallel } from './casting.ts';
import { SharedWork } from './shared-work.ts';
import type { RunState, Turn } from './state.ts';
import { TurnFiles } from './turn-files.ts';

/**
 * Stores the work of a run that only this host has seen so far, so that any other one can go on with it: what was accepted, turns
 * that are under way or not judged yet, and what those were given. Of a run whose work is in a folder, nothing. Nobody may work on it
 * meanwhile. Rejects as storing does.
 */
export async function handOverRun(artifacts: Artifacts, project: string, state: RunState): Promise<void> {
  const files = new TurnFiles(stateDir(project));
  const dispatched = state.turns.filter((turn) => turn.state === 'dispatched');
  const bundles = new Bundles(artifacts.store);
  for (const { dispatch } of dispatched) await bundles.share(state.run_id, dispatch.bundle);
  // Nothing was opened yet, or it is no worktree.
  if (!existsSync(join(files.run(state), 'git')) || workspaceKind(files.run(state)) !== 'worktree') return;
  const run = await openWorkspace({ project, run_id: state.run_id, state: files.run(state) });
  const shared = new SharedWork(artifacts, project, files);
  const open = state.turns.filter(
    (turn) => turn.reviews === null && turn.state !== 'accepted' && files.isBegun(state, turn),
  );
  if (open.length === 0) await shared.begin(state, run);
  for (const turn of open) {
    const ws = await placeOf(run, state, turn);
    await shared.handIn(state, { run, ws, turn }, resultOf(files, state, turn));
  }
}

async function placeOf(run: Workspace, state: RunState, turn: Turn): Promise<Workspace> {
  return isParallel(state, turn) ? openTurnWorkspace(run, turn.turn_id) : run;
}

/** What it wrote; whoever goes on judges whether that is good. */
function resultOf(files: TurnFiles, state: RunState, turn: Turn): string | null {
  const file = join(files.place(state, turn), 'result.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
