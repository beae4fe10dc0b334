import { join } from 'node:path';

const fromSource = import.meta.filename.endsWith('.ts');

/** The file to start a process of ours with: `<name>.ts` beside this one, or `<name>.js` beside the bundle it is in. */
export function entryFile(name: string): string {
  return join(import.meta.dirname, `${name}.${fromSource ? 'ts' : 'js'}`);
}

/** The flags of Node.js that an entry file needs wherever it is started from. */
export const entryFlags: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  ...(fromSource ? ['--conditions=patchbay-source'] : []),
];
