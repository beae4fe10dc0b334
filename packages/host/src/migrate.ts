import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hooks, PatchbayError } from 'patchbay-sdk';
import { parseDocument } from 'yaml';
import { openArtifacts } from './artifacts/index.ts';
import { databaseVariable } from './config/database.ts';
import { holdProject } from './config/holder.ts';
import { findProject, type Project, projectFileName } from './config/project.ts';
import { ledgerFile, stateDir } from './config/state.ts';
import { changing } from './install/project-state.ts';
import { commit, textOf } from './install/transaction.ts';
import type { Kernel } from './kernel/index.ts';
import { openLedger } from './ledger/index.ts';
import type { Move, Moving, OpenRun } from './ledger/move/move.ts';
import { handOverRun } from './runs/hand-over.ts';
import { loadRun } from './runs/load.ts';

/** How a project is moved. */
export interface MigrateOptions {
  /** That of the plugins of the project: one of them may be where the work of runs is kept. */
  readonly kernel: Kernel<Hooks>;
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
export async function migrateProject({ kernel, cwd, to, told, signal }: MigrateOptions): Promise<Migrated> {
  const { finishMove, moveLedger } = await import('./ledger/move/move.ts');
  return holding(cwd, async (project) => {
    const file = ledgerFile(project.dir);
    const handOver = (runs: readonly OpenRun[]) => handOverWork({ kernel, project, to }, runs);
    const move = { id: idOf(project), file, url: to, told, signal, handOver };
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

/** Other hosts have their own clones: what runs have come to so far must be where all of them find it. */
async function handOverWork(
  { kernel, project, to }: Pick<MigrateOptions, 'kernel' | 'to'> & { readonly project: Project },
  runs: readonly OpenRun[],
): Promise<void> {
  const begun = runs.filter(({ run_id }) => existsSync(join(stateDir(project.dir), 'runs', run_id)));
  const env = { [databaseVariable]: to };
  const artifacts = await openArtifacts({ kernel, project: { ...project, engine: 'postgres' }, env });
  if (artifacts === undefined) return;
  try {
    const ledger = await openLedger(ledgerFile(project.dir));
    try {
      for (const { run_id } of begun) {
        const { state } = await loadRun(ledger, run_id);
        if (state !== undefined) await handOverRun(artifacts, project.dir, state);
      }
    } finally {
      await ledger.close();
    }
  } finally {
    await artifacts.close();
  }
}

function settingsOf({ dir }: Project): string {
  return join(dir, projectFileName);
}

/** A line more, where the text can take one; written anew where it says another engine, or is written in braces. */
function withEngine(text: string): string {
  const longer = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}engine: postgres\n`;
  const read = parseDocument(longer);
  if (read.errors.length === 0 && read.get('engine') === 'postgres') return longer;
  const document = parseDocument(text);
  document.set('engine', 'postgres');
  return document.toString({ lineWidth: 0 });
}

/** Everything else in the file, comments included, stays as it is. */
async function writeEngine(project: Project): Promise<void> {
  if (project.engine === 'postgres') return;
  await changing(project.dir, async ({ home }) => {
    const file = settingsOf(project);
    const before = textOf(file);
    commit(home.workDir, { moves: [], removes: [], writes: [{ file, before, text: withEngine(before ?? '') }] });
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
