import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PatchbayError } from 'patchbay-sdk';

const tryEveryMs = 25;
const prefix = 'lock-';

/**
 * Does something while nobody else changes the project. Another process that does so is waited for, `patienceMs` at
 * the most; one that has died is not.
 *
 * The lock is a folder with one file in it, whose name no two holders share. It is taken by renaming a prepared folder to
 * it, which only works while it is absent or empty, and freed by removing that file. So a dead holder's lock can be
 * freed by any number of processes at any time: a lock that has changed hands meanwhile holds no file of that name.
 */
export async function alone<T>(workDir: string, act: () => Promise<T>, patienceMs = 10_000): Promise<T> {
  const lock = join(workDir, 'lock');
  const name = `${process.pid}-${startOf(process.pid)}-${randomUUID()}`;
  const prepared = join(workDir, prefix + name);
  const until = Date.now() + patienceMs;
  try {
    mkdirSync(prepared, { recursive: true });
    writeFileSync(join(prepared, name), '');
    while (!take(prepared, lock)) {
      const holder = holderOf(lock);
      if (holder === undefined || !isAlive(holder)) free(lock, holder);
      else if (Date.now() <= until) await sleep(tryEveryMs);
      else throw busy(lock, holder);
    }
    removeDeadClaims(workDir);
    return await act();
  } finally {
    try {
      free(lock, name);
      rmSync(prepared, { recursive: true, force: true });
    } catch {
      // Both bear the name of this process, and are nobody's as soon as it has ended.
    }
  }
}

function take(prepared: string, lock: string): boolean {
  try {
    renameSync(prepared, lock);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EPERM is what Windows says, even of an empty folder.
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    throw error;
  }
}

/** Takes the file of this holder out of the lock; an empty lock is as good as none. */
function free(lock: string, holder: string | undefined): void {
  if (holder !== undefined) rmSync(join(lock, holder), { force: true });
  try {
    rmdirSync(lock);
  } catch {
    // It is gone, or somebody else's by now.
  }
}

function holderOf(lock: string): string | undefined {
  try {
    return readdirSync(lock)[0];
  } catch {
    return undefined;
  }
}

/** What a process prepared that died before it got the lock. */
function removeDeadClaims(workDir: string): void {
  for (const name of readdirSync(workDir)) {
    if (!name.startsWith(prefix) || isAlive(name.slice(prefix.length))) continue;
    rmSync(join(workDir, name), { recursive: true, force: true });
  }
}

function isAlive(holder: string): boolean {
  const [pid, start] = holder.split('-');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = startOf(Number(pid));
  return now === '' || start === '' || now === start;
}

/** When a process began; empty where the system does not tell. In a container the same ids come again every time. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may contain anything; what is counted stands behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function busy(lock: string, holder: string): PatchbayError {
  const message = `process ${holder.split('-')[0]} is changing the plugins of this project; try again when it is done`;
  return new PatchbayError('PROJECT_BUSY', message, { file: lock });
}
