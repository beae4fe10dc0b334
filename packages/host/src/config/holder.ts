import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PatchbayError } from 'patchbay-sdk';

/**
 * Holds a project for one host: no other host can hold it until the undo, or the end of this process, however it ends. Throws
 * PROJECT_HELD, which says by whom.
 */
export function holdProject(stateDir: string): () => void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const nameFile = nameFileIn(stateDir);
  // A lock of the system, by way of SQLite: it cannot outlive its holder, as a file with a name in it would.
  const lock = new DatabaseSync(join(stateDir, 'host.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    const pid = holderOf(stateDir)?.pid;
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    throw new PatchbayError('PROJECT_HELD', `${who} is the host of this project`, {
      file: nameFile,
      cause,
    });
  }
  writeFileSync(nameFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    if (!lock.isOpen) return;
    rmSync(nameFile, { force: true });
    lock.close();
  };
}

/** Who is the host of a project. */
export interface Holder {
  readonly pid: number;
  /** Whether it carries on whatever run is asked for, rather than one of its own. */
  readonly serving: boolean;
  /** Where its API is; null if it has none. */
  readonly api: string | null;
}

/** Says of this process, which holds the project, that it carries on whatever run is asked for, and where its API is. */
export function sayServing(stateDir: string, api: string): void {
  writeFileSync(nameFileIn(stateDir), `${process.pid}\n${serving}\n${api}\n`, { mode: 0o600 });
}

/** Who says to be the host of a project and is alive; undefined if nobody does. */
export function holderOf(stateDir: string): Holder | undefined {
  try {
    const [first = '', second, third = ''] = readFileSync(nameFileIn(stateDir), 'utf8').split('\n');
    const pid = Number.parseInt(first, 10);
    if (Number.isNaN(pid) || !isAlive(pid)) return undefined;
    return { pid, serving: second === serving, api: third === '' ? null : third };
  } catch {
    return undefined;
  }
}

const serving = 'serving';

function nameFileIn(stateDir: string): string {
  return join(stateDir, 'host.pid');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
