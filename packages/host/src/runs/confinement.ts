import { join } from 'node:path';
import { databaseVariable } from '../config/database.ts';
import { apiTokenFile, stateDir } from '../config/state.ts';
import type { Job } from '../sandbox/job.ts';
import type { Workspace } from '../workspaces/index.ts';

const base = ['PATH', 'HOME', 'LANG', 'TZ'];

/** Holds the token of whoever is at the command line. */
export const tokenVariable = 'PATCHBAY_APPROVER_TOKEN';

/** What no agent gets to see, nor a server whose tools it calls, whatever settings name; with those for whom it is. */
export const withheld: ReadonlyMap<string, string> = new Map([
  [tokenVariable, 'people'],
  [databaseVariable, 'hosts'],
]);

/**
 * What no agent may touch, whatever its role: the record of what it did, what the host obeys, keeps and runs; of all that only
 * its worktree or plain folder, and the folder of its attempt if it has one. In a plain folder, nothing else of the project
 * either. Nor may it see with what others ask things of the host.
 */
export function guarded(
  { project, kind, root }: Workspace,
  attempt?: string,
): Required<Pick<Job, 'readOnly' | 'writable' | 'hidden'>> {
  const obeyed = [
    'patchbay.yaml',
    'patchbay.lock',
    'agentxchain.json',
    '.agentxchain/plugins',
    'pace/pace.config.yaml',
  ];
  const isPlain = kind === 'plain';
  return {
    readOnly: [...(isPlain ? [project] : []), stateDir(project), ...obeyed.map((name) => join(project, name))],
    writable: [...(kind === 'folder' ? [] : [root]), ...(attempt === undefined ? [] : [attempt])],
    hidden: [apiTokenFile(project)],
  };
}

/** The variables that an agent sees: the base, and what the settings of its role name in `env`. */
export function environmentOf(
  env: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const named = Array.isArray(config['env']) ? config['env'].map(String) : [];
  return Object.fromEntries(
    [...base, ...named].flatMap((name) => {
      const value = withheld.has(name) ? undefined : env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
