import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openPostgresLedger } from '../../packages/host/src/ledger/index.ts';
import { requestRun } from '../../packages/host/src/runs/load.ts';
import { write } from '../deliveries/project.ts';
import { templateOf } from '../runs/idle.ts';
import { enqueueWorkflows } from './dbos.ts';
import type { Worker } from './workers.ts';

/** How many runs, or workflows, a process has under way. */
export const atOnce = 4;

/** Work as it is handed in: so many runs of so many turns, or workflows of steps, each of which takes a while. */
export interface Work {
  readonly runs: number;
  readonly turns: number;
  readonly ms: number;
}

/** One of those that are compared: how it is given work, and who does it. */
export interface Side {
  /** Hands the work in, to those who do it already. */
  enqueue(url: string, work: Work): Promise<void>;
  /** One of the processes that do it; it may use the folder. */
  worker(url: string, dir: string, work: Work): Worker;
  /** A statement that counts what is done by now. */
  readonly done: string;
}

/** What the copies of the project are: git repositories, or only folders. With `engine`, turns do not look at them. */
export type Project = 'repository' | 'folder' | 'engine';

/** Hosts of ours, each in its own copy of a project. */
export function ours(project: Project): Side {
  return {
    enqueue: requestRuns,
    worker: (url, dir, { ms }) => {
      makeProject(dir, project);
      return {
        file: 'host.ts',
        args: [dir, String(ms), String(atOnce), project === 'engine' ? 'none' : 'files'],
        env: { PATCHBAY_DATABASE_URL: url },
      };
    },
    done: `SELECT count(*)::int AS n FROM patchbay.events WHERE type = 'turn:accepted'`,
  };
}

/** Processes of DBOS. */
export const dbos: Side = {
  enqueue: (url, { runs, turns }) => enqueueWorkflows(url, runs, turns),
  worker: (url, _, { ms }) => ({
    file: 'dbos-worker.ts',
    args: [url, String(ms), String(atOnce)],
    // It uses the driver in a way that will not be possible for ever.
    env: { NODE_OPTIONS: '--disable-warning=DeprecationWarning' },
  }),
  done: 'SELECT count(*)::int AS n FROM dbos.operation_outputs',
};

/** Writes down that so many runs are wanted, whose gate opens by itself, or for people. */
export async function requestRuns(
  url: string,
  { runs, turns }: Omit<Work, 'ms'>,
  gate: 'automatic' | 'human' = 'automatic',
): Promise<void> {
  const ledger = await openPostgresLedger(url);
  const template = templateOf(turns, gate);
  const wanted = { template, goal: 'Do nothing', by: 'ada' };
  try {
    const asked = Array.from({ length: runs }, (_, i) => requestRun(ledger, { ...wanted, run_id: `run-${i}` }));
    await Promise.all(asked);
  } finally {
    await ledger.close();
  }
}

/** A small project, with a commit if it is a repository. */
export function makeProject(dir: string, project: Project): void {
  const files = Array.from({ length: 20 }, (_, i) => [`src/${i}.ts`, `export const value = ${i};\n`]);
  write(dir, { 'patchbay.yaml': '', '.gitignore': '.patchbay/\n', ...Object.fromEntries(files) });
  if (project !== 'repository') return;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message=begin');
}

/** A folder for each of several processes. */
export function folders(dir: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => join(dir, `host-${i}`));
}
