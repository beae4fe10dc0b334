import { existsSync } from 'node:fs';
import { databaseOf, findProject, ledgerFile, openProjectLedger, type Project } from 'patchbay-host';
import type { LedgerStore } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk/errors';

/** The project that `cwd` is in. Throws PROJECT_MISSING. */
export function projectIn(cwd: string): Project {
  const project = findProject(cwd);
  if (project === undefined) {
    throw new PatchbayError('PROJECT_MISSING', `there is no project in ${cwd} nor above it`);
  }
  return project;
}

/** Opens the ledger of the project that `cwd` is in; undefined if nothing has happened in it yet. */
export async function projectLedger(cwd: string): Promise<LedgerStore | undefined> {
  const project = projectIn(cwd);
  const isThere = databaseOf(project, process.env) !== undefined || existsSync(ledgerFile(project.dir));
  return isThere ? openProjectLedger(project, process.env) : undefined;
}

/** A time that the user gave. */
export function timeOption(name: string, value: unknown): Date | undefined {
  if (value === undefined) return undefined;
  const time = new Date(String(value));
  if (Number.isNaN(time.getTime())) {
    throw new PatchbayError(
      'USAGE',
      `--${name} ${String(value)}: not a time; write it as 2026-01-31 or 2026-01-31T12:00Z`,
    );
  }
  return time;
}

/** A count that the user gave. */
export function countOption(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1) {
    throw new PatchbayError('USAGE', `--${name} ${String(value)}: must be a whole number from 1 on`);
  }
  return count;
}

/** An option that was given as text, for spreading into a filter. */
export function given<N extends string>(name: N, value: unknown): { [K in N]?: string } {
  return (value === undefined ? {} : { [name]: String(value) }) as { [K in N]?: string };
}
