import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Repository } from './git-repository.ts';
import { type Item, scratch } from './scratch.ts';
import { tarOf } from './tar-file.ts';
import { zipOf } from './zip-file.ts';

/** Writes an archive, and gives its path. */
export function archive(name: string, content: Buffer): string {
  const file = join(scratch(), name);
  writeFileSync(file, content);
  return file;
}

/** Each kind of source that is on this machine, made of the same files; gives the source. */
export const kinds: Readonly<Record<string, (items: readonly Item[]) => string>> = {
  directory: (items) => scratch(items),
  'tar.gz': (items) => archive('package.tar.gz', gzipSync(tarOf(items))),
  tar: (items) => archive('package.tar', tarOf(items)),
  zip: (items) => archive('package.zip', zipOf(items)),
  git: (items) => new Repository(items).url,
};

/** The ones whose names no file system has checked before. */
export const archives = ['tar.gz', 'tar', 'zip'];
