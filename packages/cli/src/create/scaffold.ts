import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { messageOf, PatchbayError } from 'patchbay-sdk/errors';
import { writeFiles } from '../write-files.ts';

/** The files of a new plugin: path to text. What begins with `#!` can be run. */
export type Files = Readonly<Record<string, string>>;

/**
 * Makes a folder with these files, at once or not at all. Throws USAGE if there is something else in it already,
 * PROJECT_WRITE if it cannot be made.
 */
export function scaffold(dir: string, files: Files): void {
  if (!isFree(dir)) {
    const hint = 'Give another name, or empty it.';
    throw new PatchbayError('USAGE', `${dir} exists already and is no empty folder`, { file: dir, hint });
  }
  try {
    const prepared = mkdtempSync(`${dir}-`);
    try {
      chmodSync(prepared, 0o755); // Temporary folders are for one user only.
      writeFiles(prepared, files);
      renameSync(prepared, dir);
    } finally {
      rmSync(prepared, { recursive: true, force: true });
    }
  } catch (cause) {
    throw new PatchbayError('PROJECT_WRITE', `cannot make ${dir}: ${messageOf(cause)}`, { file: dir, cause });
  }
}

function isFree(dir: string): boolean {
  try {
    return readdirSync(dir).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
