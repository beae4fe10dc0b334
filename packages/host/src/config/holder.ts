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
  const nameFile = join(stateDir, 'host.pid');
  // A lock of the system, by way of SQLite: it cannot outlive its holder, as a file with a name in it would.
  const lock = new DatabaseSync(join(stateDir, 'host.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new PatchbayError('PROJECT_HELD', `${holderOf(nameFile)} is the host of this project`, {
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

function holderOf(file: string): string {
  try {
    return `process ${Number.parseInt(readFileSync(file, 'utf8'), 10)}`;
  } catch {
    return 'another process';
  }
}
