import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { paceFile } from '../config/pace.ts';
import { isPynchyProject } from '../config/pynchy-file.ts';

/** Where a project keeps its plugins and writes down that it has them. */
export interface Home {
  readonly dir: string;
  /** Which file knows of the plugins. */
  readonly kind: 'agentxchain' | 'patchbay';
  readonly configFile: string;
  readonly lockFile: string;
  /** Each plugin has a folder of its name here. */
  readonly pluginsDir: string;
  /** Where changes are prepared. On the same disk as the rest, so that a rename puts them in place. */
  readonly workDir: string;
}

/** The home of the project that `cwd` is in: the nearest folder upward with a project file. */
export function homeOf(cwd: string): Home {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const agentxchain = existsSync(join(dir, 'agentxchain.json'));
    // With nothing but PACE's or Pynchy's settings, plugins are written down in a patchbay.yaml that is made then.
    const settings = [join(dir, 'patchbay.yaml'), paceFile(dir)];
    if (agentxchain || settings.some((file) => existsSync(file)) || isPynchyProject(dir)) {
      return {
        dir,
        kind: agentxchain ? 'agentxchain' : 'patchbay',
        configFile: join(dir, agentxchain ? 'agentxchain.json' : 'patchbay.yaml'),
        lockFile: join(dir, 'patchbay.lock'),
        pluginsDir: join(dir, agentxchain ? '.agentxchain' : '.patchbay', 'plugins'),
        workDir: join(dir, '.patchbay', 'install'),
      };
    }
    if (dirname(dir) === dir) break;
  }
  throw new PatchbayError('PROJECT_MISSING', `there is no project in ${resolve(cwd)} nor above it`);
}
