import { existsSync, readdirSync } from 'node:fs';
import { folderOf, looking, type State } from './project-state.ts';

/** One line of `plugin list`. */
export interface Listed {
  readonly name: string;
  readonly version: string;
  readonly hooks: readonly string[];
  readonly enabled: boolean;
  /** `ok`, or why it is not run. */
  readonly status: string;
  readonly source: string;
}

/** The plugins of a project, in alphabetical order. Does not open them: that is for `verifyPlugins`. */
export function listPlugins(cwd: string): Promise<Listed[]> {
  return looking(cwd, (state) => {
    const folders = foldersIn(state.home.pluginsDir);
    return namesOf(state).map((name) => listed(state, name, folders));
  });
}

/** The folders of a folder, found in one look: there may be hundreds of plugins. */
function foldersIn(dir: string): ReadonlySet<string> {
  if (!existsSync(dir)) return new Set();
  const folders = readdirSync(dir, { withFileTypes: true }).filter((one) => one.isDirectory());
  return new Set(folders.map(({ name }) => name));
}

function namesOf({ registered, lock }: State): string[] {
  return [...new Set([...registered.keys(), ...Object.keys(lock)])].sort();
}

/** What is known of one plugin without opening it. Whose folder is known to be there is not looked for again. */
export function listed(state: State, name: string, folders?: ReadonlySet<string>): Listed {
  const registered = state.registered.get(name);
  const entry = state.lock[name];
  return {
    name,
    version: entry?.version ?? registered?.version ?? '',
    hooks: entry?.hooks ?? [],
    enabled: registered?.enabled ?? false,
    status: statusOf(state, name, folders),
    source: entry?.source ?? registered?.path ?? '',
  };
}

function statusOf(state: State, name: string, folders?: ReadonlySet<string>): string {
  const registered = state.registered.get(name);
  if (registered?.path !== undefined) return 'ok';
  if (registered === undefined) return 'not registered in the project file';
  if (!Object.hasOwn(state.lock, name)) return 'not in the lock file: install it again';
  const isThere = folders?.has(name) || existsSync(folderOf(state.home, name));
  return isThere ? 'ok' : 'its folder is missing: install it again';
}
