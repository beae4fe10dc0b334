import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { parseDocument } from 'yaml';
import { databaseVariable } from './config/database.ts';
import { holdProject } from './config/holder.ts';
import { findProject, type Project, projectFileName } from './config/project.ts';
import { ledgerFile, stateDir } from './config/state.ts';
import { changing } from './install/project-state.ts';
import { commit, textOf } from './install/transaction.ts';
import type { Move, Moving } from './ledger/move/move.ts';

/** How a project is moved. */
export interface MigrateOptions {
  readonly cwd: string;
  /** The URL of the database. */
  readonly to: string;
  readonly told: Move['told'];
  readonly signal: AbortSignal;
}

/** What was moved, or would be. */
export interface Migrated extends Moving {
  /** The file in which the ledger was. */
  readonly from: string;
  /** The project file that says `engine: postgres`. */
  readonly file: string;
}

/**
 * Says what `migrateProject` would move, and finds out whether it could. Nothing is changed. Throws what it throws.
 */
export async function rehearseMigration({ cwd, to }: Pick<MigrateOptions, 'cwd' | 'to'>): Promise<Migrated> {
  const { rehearseMove } = await import('./ledger/move/move.ts');
  return holding(cwd, async (project) => {
    const file = ledgerFile(project.dir);
    const id = readId(project) ?? randomUUID();
    return { from: file, file: settingsOf(project), ...(await rehearseMove({ id, file, url: to })) };
  });
}

/**
 * Moves the ledger of the project that `cwd` is in to a database, runs that wait included, and has the project file say so. One
 * that was interrupted is finished, or begun anew. Throws PROJECT_MISSING, PROJECT_HELD while a host is at work, what opening the
 * ledger and the database throw, MIGRATION_REFUSED, MIGRATION_UNFINISHED, and what changing the project file throws.
 */
export async function migrateProject({ cwd, to, told, signal }: MigrateOptions): Promise<Migrated> {
  const { finishMove, moveLedger } = await import('./ledger/move/move.ts');
  return holding(cwd, async (project) => {
    const file = ledgerFile(project.dir);
    const move = { id: idOf(project), file, url: to, told, signal, handOver: async () => {} };
    const moving = (await finishMove(move)) ?? (await moveLedger(move));
    await writeEngine(project);
    rmSync(idFile(project), { force: true });
    return { from: file, file: settingsOf(project), ...moving };
  });
}

async function holding<T>(cwd: string, act: (project: Project) => Promise<T>): Promise<T> {
  const project = findProject(cwd);
  if (project === undefined) {
    throw new PatchbayError('PROJECT_MISSING', `there is no project in ${cwd} nor above it`);
  }
  if (!existsSync(ledgerFile(project.dir))) {
    const message = `there is nothing to move: nothing has happened in ${project.dir} yet`;
    const hint = `Write "engine: postgres" into ${settingsOf(project)}, and set ${databaseVariable}.`;
    throw new PatchbayError('MIGRATION_REFUSED', message, { hint });
  }
  const release = holdProject(stateDir(project.dir));
  try {
    return await act(project);
  } finally {
    release();
  }
}

function settingsOf({ dir }: Project): string {
  return join(dir, projectFileName);
}

/** Everything else in the file, comments included, stays as it is. */
async function writeEngine(project: Project): Promise<void> {
  if (project.engine === 'postgres') return;
  await changing(project.dir, async ({ home }) => {
    const file = settingsOf(project);
    const before = textOf(file);
    const document = parseDocument(before ?? '');
    document.set('engine', 'postgres');
    commit(home.workDir, {
      moves: [],
      removes: [],
      writes: [{ file, before, text: document.toString({ lineWidth: 0 }) }],
    });
  });
}

/** Where the id of a move stands until it is finished. */
function idFile({ dir }: Project): string {
  return join(stateDir(dir), 'migration');
}

function readId(project: Project): string | undefined {
  if (!existsSync(idFile(project))) return undefined;
  const id = readFileSync(idFile(project), 'utf8').trim();
  return id === '' ? undefined : id;
}

function idOf(project: Project): string {
  const known = readId(project);
  if (known !== undefined) return known;
  const id = randomUUID();
  writeFileSync(idFile(project), `${id}\n`, { flush: true });
  return id;
}
