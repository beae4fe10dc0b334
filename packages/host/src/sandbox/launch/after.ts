import { execFile } from 'node:child_process';
import type { Job } from '../job.ts';

/** What ends containers waits for them, but not for ever. */
const patienceMs = 20_000;

/** Ends what a job that was ended itself had another program run, if it says how. Never rejects. */
export function clearUp({ after: [program, ...args] = [], cwd, env }: Job): Promise<void> {
  return new Promise((resolve) => {
    if (program === undefined) return resolve();
    execFile(program, args, { cwd, env, timeout: patienceMs, killSignal: 'SIGKILL' }, () => resolve());
  });
}
