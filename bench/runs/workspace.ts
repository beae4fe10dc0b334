import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Launcher } from '../../packages/host/src/sandbox/launcher.ts';
import {
  closeWorkspace,
  commitTurn,
  observe,
  openWorkspace,
  snapshot,
  verify,
} from '../../packages/host/src/workspaces/index.ts';
import { inFolder, write } from '../deliveries/project.ts';
import type { Taken } from '../deliveries/side-by-side.ts';

const author = { name: 'developer', email: 'developer@example.com' };

function repositoryIn(dir: string, files: number): string {
  const project = join(dir, 'project');
  const names = Array.from({ length: files }, (_, i) => [`src/${i}.ts`, `export const value = ${i};\n`]);
  write(project, { '.gitignore': '.patchbay/\n', ...Object.fromEntries(names) });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message=begin');
  return project;
}

/** Milliseconds of each thing that a turn in a small repository costs besides its agent and the engine. */
export function costsOfTurns(rounds: number): Promise<Taken> {
  return inFolder(async (dir) => {
    const project = repositoryIn(dir, 100);
    const launcher = new Launcher({ project });
    const taken: Record<string, number[]> = {};
    const timed = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
      const start = performance.now();
      const value = await act();
      taken[name] = [...(taken[name] ?? []), performance.now() - start];
      return value;
    };
    try {
      for (let round = 0; round < rounds; round++) {
        const at = { project, run_id: `run-${round}`, state: join(project, '.patchbay/runs', `run-${round}`) };
        const ws = await timed('worktree made', () => openWorkspace(at));
        await timed('worktree opened again', () => openWorkspace(at));
        const before = await timed('snapshot before a turn', () => snapshot(ws));
        writeFileSync(join(ws.dir, 'src/1.ts'), `export const value = 'round ${round}';\n`);
        await timed('diff after a turn', () => observe(ws, before));
        const options = { dir: ws.dir, launcher, env: {}, timeoutMs: 10_000, log: () => {} };
        await timed('verification by `true`', () => verify(['true'], options));
        await timed('work committed', () => commitTurn(ws, { message: 'work', author }));
        await timed('worktree removed', () => closeWorkspace(ws, { keepBranch: false }));
      }
    } finally {
      await launcher.close();
    }
    return taken;
  });
}
