import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, openSync, readdirSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { chmod, lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalTo, startedWith, statOf } from './proc.ts';

/** More than a job is ever given. */
const fewFiles = 8;
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
export function makeFolder(tempDir: string, prefix: string): string {
  return mkdtempSync(join(tempDir, prefix));
}

/** Puts a file for each text, and a `tmp`, into a folder; gives the path of each by its variable. */
export function fillFolder(dir: string, files: Readonly<Record<string, string>>): Record<string, string> {
  const variables: Record<string, string> = { TMPDIR: join(dir, 'tmp') };
  mkdirSync(join(dir, 'tmp'), { mode: 0o700 });
  for (const [variable, text] of Object.entries(files)) {
    const file = join(dir, `${variable}.json`);
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    variables[variable] = file;
  }
  return variables;
}

/** Opens a file that holds a text and has no name any more. Closing it is the caller's. */
export function nameless(dir: string, text: string): number {
  const file = join(dir, 'nameless');
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  const fd = openSync(file, 'r');
  unlinkSync(file);
  return fd;
}

/** Removes a folder whatever was made of it, following no link. What cannot be removed is left; never throws. */
export async function removeFolder(dir: string): Promise<void> {
  if (removeUntouched(dir)) return;
  try {
    await rm(dir, { recursive: true, force: true });
  } catch {
    await removeStubborn(dir).catch(() => undefined);
  }
}

/** The usual case, at once: all that is in it are our files. */
function removeUntouched(dir: string): boolean {
  try {
    rmdirSync(join(dir, 'tmp'));
    const names = readdirSync(dir);
    if (names.length > fewFiles) return false;
    for (const name of names) unlinkSync(join(dir, name));
    rmdirSync(dir);
    return true;
  } catch {
    return false;
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

/** Ends what still runs of dead launcher processes' jobs, and removes the folders of these; gives how many. */
export async function sweepFolders(tempDir: string, prefix: string): Promise<number> {
  const names = await readdir(tempDir).catch(() => []);
  const left = names
    .filter((name) => name.startsWith(prefix) && !isOwned(name.slice(prefix.length)))
    .map((name) => join(tempDir, name));
  if (left.length > 0) await endStrays(left);
  await Promise.all(left.map(removeFolder));
  return left.length;
}

/** A process that is just being started shows only a little later whose it is: all must be quiet twice. */
async function endStrays(dirs: readonly string[]): Promise<void> {
  const entries = dirs.map((dir) => `TMPDIR=${join(dir, 'tmp')}`);
  let quiet = 0;
  for (let round = 0; quiet < 2 && round < mostRounds; round++) {
    const strays = startedWith(entries);
    for (const pid of strays) signalTo(pid, 'SIGKILL');
    quiet = strays.length === 0 ? quiet + 1 : 0;
    await sleep(roundMs);
  }
}

function isOwned(rest: string): boolean {
  const [pid = '', started = ''] = rest.split('-');
  if (!/^[1-9]\d*$/.test(pid)) return false;
  const stat = statOf(Number(pid));
  return stat === undefined ? signalTo(Number(pid), 0) : !stat.dead && stat.started === started;
}
