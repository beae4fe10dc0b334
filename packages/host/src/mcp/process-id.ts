import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** The first process with a variable of this value, as this system numbers it; null if none is found, or none can be. */
export function processWith(variable: string, value: string): number | null {
  const mark = `\0${variable}=${value}\0`;
  const pids = numbersIn('/proc').filter((pid) => `\0${textOf(`/proc/${pid}/environ`)}\0`.includes(mark));
  // What confines it has the same environment, and is not it.
  return pids.sort((a, b) => a - b).find((pid) => !isBubblewrap(pid)) ?? null;
}

function numbersIn(dir: string): number[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function isBubblewrap(pid: number): boolean {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)) === 'bwrap';
  } catch {
    return false;
  }
}
