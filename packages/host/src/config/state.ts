import { join } from 'node:path';

/** Where a host keeps what it knows of a project. */
export function stateDir(project: string): string {
  return join(project, '.patchbay');
}

/** Where the token of the API of a project is. */
export function apiTokenFile(project: string): string {
  return join(stateDir(project), 'api-token');
}

/** Where the ledger of a project is. */
export function ledgerFile(project: string): string {
  return join(stateDir(project), 'ledger.db');
}
