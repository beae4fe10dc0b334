import { existsSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { messageOf, PatchbayError, suggestion } from 'patchbay-sdk';
import { type Home, homeOf } from './home.ts';
import { type Lock, readLock } from './lock.ts';
import { alone } from './mutex.ts';
import { type Registered, readRegistered } from './registry.ts';
import { recover, sweep, textOf, tidy } from './transaction.ts';

/** What a project says of its plugins at one moment. */
export interface State {
  readonly home: Home;
  /** Null where there is none yet. */
  readonly configText: string | null;
  readonly lockText: string | null;
  readonly registered: ReadonlyMap<string, Registered>;
  readonly lock: Lock;
}

/**
 * Changes the plugins of the project that `cwd` is in, alone, after what a crash left behind has been seen to. Whatever
 * `change` prepares in the working folder is swept away afterwards.
 */
export async function changing<T>(cwd: string, change: (state: State) => Promise<T>): Promise<T> {
  const home = homeOf(cwd);
  try {
    return await alone(home.workDir, async () => {
      recover(home.workDir);
      try {
        return await change(stateOf(home));
      } finally {
        attempt(() => sweep(home.workDir));
      }
    });
  } catch (error) {
    throw ofDisk(home, error);
  } finally {
    tidy(home.workDir);
  }
}

/** Tidies up; what cannot be done now is done by the next command. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // See above.
  }
}

/** What the disk says, as an error of ours: it is full, or may not be written. */
function ofDisk({ dir }: Home, error: unknown): unknown {
  if (error instanceof PatchbayError || (error as NodeJS.ErrnoException | null)?.syscall === undefined) return error;
  return new PatchbayError('PROJECT_WRITE', `the project in ${dir} could not be changed: ${messageOf(error)}`, {
    file: dir,
    cause: error,
  });
}

/** Looks at the plugins of a project. Finishes what a crash left half done first: nobody ever sees half of it. */
export async function looking<T>(cwd: string, look: (state: State) => T | Promise<T>): Promise<T> {
  const home = homeOf(cwd);
  if (isUnsettled(home)) return changing(cwd, async (state) => look(state));
  return look(stateOf(home));
}

function isUnsettled({ workDir }: Home): boolean {
  return existsSync(workDir) && readdirSync(workDir).length > 0;
}

function stateOf(home: Home): State {
  const configText = textOf(home.configFile);
  const lockText = textOf(home.lockFile);
  return {
    home,
    configText,
    lockText,
    registered: readRegistered(home, configText),
    lock: readLock(home.lockFile, lockText),
  };
}

const safeName = /^(?:@[a-z0-9-]+\/)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/** The folder of an installed plugin. A name that could lead anywhere else is no name of a plugin. */
export function folderOf(home: Home, name: string): string {
  if (!safeName.test(name)) {
    throw new PatchbayError('PLUGIN_UNKNOWN', `${JSON.stringify(name)} is no name of a plugin`, { plugin: name });
  }
  // Not `join`: such a name needs no tidying, and there may be hundreds.
  return home.pluginsDir + sep + name;
}

/** Refuses the name of a plugin that the project does not have. */
export function demand({ registered, lock }: State, name: string): void {
  if (registered.has(name) || Object.hasOwn(lock, name)) return;
  const known = [...new Set([...registered.keys(), ...Object.keys(lock)])];
  throw new PatchbayError('PLUGIN_UNKNOWN', `no plugin "${name}" is installed; ${suggestion(name, known)}`, {
    plugin: name,
  });
}
