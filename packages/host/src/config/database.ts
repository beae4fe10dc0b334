import { PatchbayError } from 'patchbay-sdk';
import { type LedgerStore, openLedger, openPostgresLedger, type PostgresOptions } from '../ledger/index.ts';
import type { Project } from './project.ts';
import { ledgerFile } from './state.ts';

/** The variable that says where the database is. Not a field of the project file: there is a password in it. */
export const databaseVariable = 'PATCHBAY_DATABASE_URL';

/**
 * The URL of the database in which the ledger of a project is; undefined if it is in a file. Throws `DATABASE_URL` where the
 * project wants a database, and nobody says which.
 */
export function databaseOf({ engine, file }: Project, env: NodeJS.ProcessEnv): string | undefined {
  if (engine === 'embedded') return undefined;
  const url = env[databaseVariable] ?? '';
  if (url !== '') return url;
  if (engine === null) return undefined;
  throw new PatchbayError('DATABASE_URL', `${file} says "engine: postgres", but ${databaseVariable} is not set`, {
    file,
  });
}

/** Opens the ledger of a project, wherever it is. Throws what `openLedger` and `openPostgresLedger` do, and `DATABASE_URL`. */
export async function openProjectLedger(
  project: Project,
  env: NodeJS.ProcessEnv,
  options: PostgresOptions = {},
): Promise<LedgerStore> {
  const url = databaseOf(project, env);
  return url === undefined ? openLedger(ledgerFile(project.dir)) : openPostgresLedger(url, options);
}
