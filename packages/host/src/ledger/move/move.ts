import { messageOf, PatchbayError } from 'patchbay-sdk';
import { fault } from '../sqlite/fault.ts';
import { movedFrom } from '../sqlite/file.ts';
import type { Told } from './copy.ts';
import { Source } from './source.ts';
import type { Counts } from './tables.ts';
import { Target } from './target.ts';

/** A run that is moved and has not ended. */
export interface OpenRun {
  readonly run_id: string;
  readonly status: string;
}

/** What is to be moved, and where to. */
export interface Move {
  /** By which both sides know it. One that was interrupted is gone on with under the same id. */
  readonly id: string;
  /** The ledger, which nobody may be the host of. */
  readonly file: string;
  readonly url: string;
  readonly told: Told;
  readonly signal: AbortSignal;
  /** Stores what else the open runs need, when they are in the database and nobody can use it yet. */
  readonly handOver: (runs: readonly OpenRun[]) => Promise<void>;
}

/** What was moved, or would be. */
export interface Moving {
  /** The URL without the password. */
  readonly to: string;
  readonly counts: Counts;
  /** The hash of the last event, the same on both sides; null if there is none. */
  readonly head: string | null;
  readonly open_runs: readonly OpenRun[];
}

/** Finds out what `moveLedger` would move, and whether it could. Nothing is changed. Throws what it throws. */
export async function rehearseMove({ id, file, url }: Pick<Move, 'id' | 'file' | 'url'>): Promise<Moving> {
  const target = new Target(url, id);
  return withSource(file, async (source) => {
    await target.rehearse();
    await source.verify();
    return movingOf(source, target);
  });
}

/**
 * Moves the ledger in a file into a database, verified on both sides. Whatever comes in between, one of them can be used and the
 * other one says that it cannot: the file, until all is in the database and was compared; then the database. Throws what opening
 * either throws, and `MIGRATION_REFUSED` and `MIGRATION_UNFINISHED`.
 */
export async function moveLedger({ id, file, url, told, signal, handOver }: Move): Promise<Moving> {
  const target = new Target(url, id);
  return withSource(file, async (source) => {
    await target.rehearse();
    await source.verify();
    const moving = movingOf(source, target);
    const heard: Told = (table, count) => {
      if (signal.aborted) throw stopped(target);
      told(table, count);
    };
    try {
      await target.receive(source, heard);
      await handOver(moving.open_runs);
      source.leave({ id, at: new Date().toISOString(), target: target.shown });
    } catch (error) {
      // What cannot be tidied up now is so when it is tried again.
      await target.discard().catch(() => {});
      throw error;
    }
    await released(target);
    return moving;
  });
}

/**
 * Finishes the move of a ledger that was left already; undefined if it was not. Throws `MIGRATION_REFUSED` if that was to
 * another database.
 */
export async function finishMove({ file, url }: Pick<Move, 'file' | 'url'>): Promise<Moving | undefined> {
  const moved = movedIn(file);
  if (moved === undefined) return undefined;
  const target = new Target(url, moved.id);
  if (!(await target.holds())) {
    const message = `the ledger ${file} was moved to ${moved.target} at ${moved.at}, not to ${target.shown}`;
    throw new PatchbayError('MIGRATION_REFUSED', message, { file, hint: `Name ${moved.target}, with its password.` });
  }
  await released(target);
  const source = Source.left(file);
  try {
    return movingOf(source, target);
  } finally {
    source.close();
  }
}

function movedIn(file: string): ReturnType<typeof movedFrom> {
  try {
    return movedFrom(file);
  } catch (error) {
    throw fault(error, file, 'opened');
  }
}

async function withSource<T>(file: string, act: (source: Source) => Promise<T>): Promise<T> {
  const source = Source.open(file);
  try {
    return await act(source);
  } finally {
    source.close();
  }
}

function movingOf(source: Source, target: Target): Moving {
  const head = source.ends().head_hash;
  return { to: target.shown, counts: source.counts(), head: head === '' ? null : head, open_runs: source.openRuns() };
}

async function released(target: Target): Promise<void> {
  try {
    await target.release();
  } catch (cause) {
    const message = `all was moved to ${target.shown}, which could not be told that it is complete: ${messageOf(cause)}`;
    throw new PatchbayError('MIGRATION_UNFINISHED', message, { cause });
  }
}

function stopped(target: Target): PatchbayError {
  return new PatchbayError('MIGRATION_UNFINISHED', `stopped before all was in ${target.shown}; nothing was moved`);
}
