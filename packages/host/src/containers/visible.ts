import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { entryFile } from '../sandbox/entry.ts';
import { isWithin, type Mount } from './mount-rules.ts';

/** What a runtime that runs no image shows of the host by itself. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/etc', '/nix', '/snap'];

/** A path as it is outside, not to be changed. */
export function shown(path: string): Mount {
  return { from: path, to: path, readOnly: true };
}

/**
 * What programs of ours need to run inside: Node.js and our own code. By it an agent without a network reaches its tools.
 * Nothing on systems whose programs do not run in containers.
 */
export function ownPlaces(): Mount[] {
  if (process.platform !== 'linux') return [];
  const code = dirname(entryFile('core-main'));
  const isSource = entryFile('core-main').endsWith('.ts');
  // From a checkout: packages/host/src/sandbox, with what it imports beside packages.
  const root = join(code, '../../../..');
  const places = isSource ? ['packages', 'plugins', 'node_modules'].map((name) => join(root, name)) : [code];
  return [...places, process.execPath].filter((path) => existsSync(path) && !isSystem(path)).map(shown);
}

/** The folders of programs that a PATH names outside the system, with the libraries that go with them. */
export function programPlaces(path: string | undefined): Mount[] {
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !isSystem(folder));
  const all = folders.flatMap((folder) => {
    const name = basename(folder);
    // Programs of npm are links to the packages beside their folder.
    if (name === '.bin') return [dirname(folder)];
    return name === 'bin' ? [folder, join(dirname(folder), 'lib')] : [folder];
  });
  return [...new Set(all)].filter((folder) => existsSync(folder) && folder !== '/').map(shown);
}

function isSystem(path: string): boolean {
  try {
    const real = realpathSync(path);
    return system.some((folder) => isWithin(real, folder));
  } catch {
    return false;
  }
}
