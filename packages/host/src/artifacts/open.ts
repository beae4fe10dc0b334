import type { Hooks } from 'patchbay-sdk';
import { databaseOf } from '../config/database.ts';
import type { Project } from '../config/project.ts';
import { type Kernel, newRecord } from '../kernel/index.ts';
import type { PostgresOptions } from '../ledger/index.ts';
import type { ArtifactStore, Artifacts } from './artifacts.ts';
import { DirectoryArtifacts } from './directory.ts';
import { PluginArtifacts } from './plugin.ts';

/** What opening artifacts takes. */
export interface OpenArtifacts extends PostgresOptions {
  readonly kernel: Kernel<Hooks>;
  readonly project: Project;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Opens what hosts share of the work of runs: objects in the folder that the project names, or else where a plugin keeps them, or
 * else in the database. Undefined where the ledger is in a file, which only one host works on. Throws DATABASE_URL, and what is
 * wrong with a plugin that should have given its store.
 */
export async function openArtifacts({
  kernel,
  project,
  env,
  ...options
}: OpenArtifacts): Promise<Artifacts | undefined> {
  const url = databaseOf(project, env);
  if (url === undefined) return undefined;
  // Only now: most projects have no server, and loading the driver takes time.
  const { DatabaseArtifacts } = await import('./database.ts');
  const database = new DatabaseArtifacts(url, project.artifacts.mostBytes, options);
  const { dir } = project.artifacts;
  const store = dir === null ? ((await provided(kernel, project.dir)) ?? database) : new DirectoryArtifacts(dir);
  return {
    store,
    heads: database,
    tidy: async () => {
      for (const run_id of await database.expire()) await store.remove(run_id, () => true);
    },
    close: () => database.close(),
  };
}

async function provided(kernel: Kernel<Hooks>, project: string): Promise<ArtifactStore | undefined> {
  const record = newRecord();
  const storing = await kernel.call('artifactStore', { project }, { record });
  // Another store would not have what the others keep in this one.
  if (storing === null && record.failures[0] !== undefined) throw record.failures[0];
  if (storing === null) return undefined;
  const plugin = record.answers.find(({ answer }) => answer === storing)?.plugin ?? '';
  return new PluginArtifacts(plugin, storing);
}
