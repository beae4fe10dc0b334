import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What is in a folder and below it. Not by `recursive` of readdir, which goes where links lead. Throws if it cannot be
 * read.
 */
export function walk(dir: string): { readonly file: string; readonly isFile: boolean }[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const file = join(dir, entry.name);
    return entry.isDirectory() ? walk(file) : [{ file, isFile: entry.isFile() }];
  });
}
