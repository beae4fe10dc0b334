import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder } from './folder.ts';
import { signalTo, startedWith, statOf } from './proc.ts';

// For the host only: the launcher process must stay small, and hashing is not.

const mostRounds = 20;
const roundMs = 25;

/** How the folders of a project's jobs begin: a later host of the same project knows them by it. */
export function folderPrefix(project: string): string {
  return `patchbay-job-${createHash('sha256').update(project).digest('hex').slice(0, 12)}-`;
}

/** Ends what still runs of dead launcher processes' jobs, and removes their folders in `tempDir`; gives how many. */
export async function sweepFolders(tempDir: string, prefix: string): Promise<number> {
  const names = await readdir(tempDir).catch(() => []);
  const left = names
    .filter((name) => name.startsWith(prefix) && !isOwned(name.slice(prefix.length)))
    .map((name) => join(tempDir, name));
  if (left.length > 0) await endStrays(left.map((dir) => `TMPDIR=${dir}`));
  await Promise.all(left.map(removeFolder));
  return left.length;
}

/** A process that is just being started shows only a little later whose it is: all must be quiet twice. */
async function endStrays(entries: readonly string[]): Promise<void> {
  let quiet = 0;
  for (let round = 0; quiet < 2 && round < mostRounds; round++) {
    const strays = startedWith(entries);
    for (const pid of strays) signalTo(pid, 'SIGKILL');
    quiet = strays.length === 0 ? quiet + 1 : 0;
    await sleep(roundMs);
  }
}

/** Whether the process lives whose folder, or whatever it names, begins with this after the prefix of its project. */
export function isOwned(rest: string): boolean {
  const [pid = '', started = ''] = rest.split('-');
  if (!/^[1-9]\d*$/.test(pid)) return false;
  const stat = statOf(Number(pid));
  return stat === undefined ? signalTo(Number(pid), 0) : !stat.dead && stat.started === started;
}
