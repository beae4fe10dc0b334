import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const probeMs = 5_000;

/** What everything confined gets: a namespace in which it sees no process but its own, and that ends with its starter. */
export const confined: readonly string[] = [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--dev-bind',
  '/',
  '/',
  '--proc',
  '/proc',
];

/** Where bubblewrap is, if it is; it may not be allowed to do its work. */
export function findBubblewrap(): string | undefined {
  return process.platform === 'linux' ? findProgram('bwrap') : undefined;
}

/** Where a program is on the PATH of this process: what a job gets as PATH must not decide what confines it. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** Whether this system lets bubblewrap work with these flags. */
export function bubblewrapWorks(bwrap: string, flags: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(bwrap, [...flags, '--', bwrap, '--version'], { env: {}, timeout: probeMs }, (error) => {
      resolve(error === null);
    });
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
