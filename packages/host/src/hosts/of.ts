import { databaseOf } from '../config/database.ts';
import type { Project } from '../config/project.ts';
import type { ListedHost } from './list.ts';

/** The hosts of a project; undefined if its ledger is in a file, which one host has to itself. Throws what `listHosts` does. */
export async function hostsOf(project: Project, env: NodeJS.ProcessEnv): Promise<readonly ListedHost[] | undefined> {
  const url = databaseOf(project, env);
  if (url === undefined) return undefined;
  const { listHosts } = await import('./list.ts');
  return listHosts(url);
}
