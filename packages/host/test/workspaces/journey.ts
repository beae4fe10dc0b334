import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commitTurn, mergeTurn, openTurnWorkspace, openWorkspace, type Workspace } from '../../src/workspaces/index.ts';

const author = { name: 'dev', email: 'dev@example.com' };

/**
 * What a run does with its workspaces: one turn alone, then one beside others. Can be done again after it was killed
 * anywhere.
 */
export async function journey(project: string): Promise<Workspace> {
  const run = await openWorkspace({ project, run_id: 'run-1', state: '.patchbay/runs/run-1' });
  if (!existsSync(join(run.state, 'accepted'))) {
    put(run.dir, 'first/file.ts');
    await commitTurn(run, { message: 'first', author });
    put(run.state, 'accepted'); // As the ledger would know.
  }
  const turn = await openTurnWorkspace(run, 'turn-2');
  put(turn.dir, 'second/file.ts');
  await commitTurn(turn, { message: 'second', author });
  await mergeTurn(run, turn);
  return run;
}

function put(dir: string, path: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), path);
}

const [, , project] = process.argv;
if (import.meta.main && project !== undefined) await journey(project);
