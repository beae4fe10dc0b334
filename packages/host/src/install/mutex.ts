import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PatchbayError } from 'patchbay-sdk';

const tryEveryMs = 25;

/**
 * Does something while nobody else changes the project. Another process that does so is waited for, `patienceMs` at
 * the most; one that has died is not.
 */
export async function alone<T>(workDir: string, act: () => Promise<T>, patienceMs = 10_000): Promise<T> {
  const file = join(workDir, 'lock');
  const until = Date.now() + patienceMs;
  while (!take(workDir, file)) {
    const holder = holderOf(file);
    if (holder !== undefined && !isAlive(holder)) {
      release(file, holder);
      continue;
    }
    if (Date.now() > until) {
      const who = holder === undefined ? 'another process' : `process ${holder}`;
      throw new PatchbayError(
        'PROJECT_BUSY',
        `${who} is changing the plugins of this project; try again when it is done`,
        {
          file,
        },
      );
    }
    await sleep(tryEveryMs);
  }
  try {
    return await act();
  } finally {
    try {
      rmSync(file, { force: true });
    } catch {
      // It names this process, and is nobody's as soon as that has ended.
    }
  }
}

/** A link that leads to the id of its holder, not a file: it comes to be with what it says, or not at all. */
function take(workDir: string, file: string): boolean {
  mkdirSync(workDir, { recursive: true });
  try {
    symlinkSync(String(process.pid), file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The folder may have been tidied away in between.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

function holderOf(file: string): number | undefined {
  try {
    const pid = Number(readlinkSync(file));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Takes a dead holder's lock away, unless somebody else was faster and it is another's by now. */
function release(file: string, dead: number): void {
  const aside = `${file}-of-${dead}-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (holderOf(aside) !== dead) renameSync(aside, file);
  else rmSync(aside, { force: true });
}
