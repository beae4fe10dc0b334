import { accessSync, constants, mkdtempSync } from 'node:fs';
import { chmod, lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { statOf } from './proc.ts';

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
