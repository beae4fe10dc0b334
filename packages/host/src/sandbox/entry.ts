import { extname, join } from 'node:path';

const extension = extname(import.meta.filename);

/** The file to start a process of ours with: beside this one, or beside the bundle it is in, and of the same kind. */
export function entryFile(name: string): string {
  return join(import.meta.dirname, name + extension);
}

/** The flags of Node.js that an entry file needs wherever it is started from. */
export const entryFlags: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  ...(extension === '.ts' ? ['--conditions=patchbay-source'] : []),
];
