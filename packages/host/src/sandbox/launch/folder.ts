import { createHash } from 'node:crypto';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { chmod, lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalTo, startedWith, statOf } from './proc.ts';

const mostRounds = 20;
const roundMs = 25;

/** How the folders of a project's jobs begin: a later host of the same project knows them by it. */
export function folderPrefix(project: string): string {
  return `patchbay-job-${createHash('sha256').update(project).digest('hex').slice(0, 12)}-`;
}

/** Begins the names of this process's own folders: nobody takes them away while it lives. */
export function ownPrefix(prefix: string): string {
  return `${prefix}${process.pid}-${statOf('self')?.started ?? 0}-`;
}

/** Makes a folder that only its owner can enter. */
export function makeFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, prefix));
}

/** A place for small files that never reach a disk; undefined where the system has none. */
export function memoryDir(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK | constants.X_OK);
    return '/dev/shm';
  } catch {
    return undefined;
  }
}

/** Removes a folder whatever was made of it, following no link. What cannot be removed is left; never throws. */
export async function removeFolder(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true });
  } catch {
    await removeStubborn(dir).catch(() => undefined);
  }
}

/**
 * Takes apart what `rm` cannot: folders that are closed, or nested so deep that their paths are too long. Every folder
 * is opened, and its folders are moved up beside it before it goes, so that no path ever grows.
 */
async function removeStubborn(root: string): Promise<void> {
  if (!(await lstat(root)).isDirectory()) return;
  await chmod(root, 0o700);
  const queue = [Buffer.from(root)];
  let moved = 0;
  for (const dir of queue) {
    for (const entry of await readdir(dir, { withFileTypes: true, encoding: 'buffer' })) {
      // Names need not be UTF-8.
      const path = Buffer.concat([dir, Buffer.from('/'), entry.name]);
      if (!entry.isDirectory()) {
        await unlink(path);
        continue;
      }
      await chmod(path, 0o700);
      const beside = Buffer.from(`${root}.${++moved}`);
      await rename(path, beside);
      queue.push(beside);
    }
    await rmdir(dir);
  }
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
