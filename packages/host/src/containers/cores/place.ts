import { join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { stateDir } from '../../config/state.ts';

/** Where the packages of a core are installed. Throws PLUGIN_INVALID for a name that cannot be one of a folder. */
export function coreFolder(project: string, core: string): string {
  if (!/^[a-z0-9][\w.-]*$/i.test(core)) {
    const hint = 'Have it begin with a letter or digit, and go on with letters, digits, ".", "_" and "-".';
    throw new PatchbayError('PLUGIN_INVALID', `"${core}" cannot be the name of an agent core with files`, { hint });
  }
  return join(stateDir(project), 'cores', core);
}

/** Where the files of a core are inside a container. */
export function sourcePlace(core: string): string {
  return `/workspace/plugins/${core}`;
}
