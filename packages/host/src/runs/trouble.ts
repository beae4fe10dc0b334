import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { writeWhole } from '../workspaces/whole.ts';

/** Something is wrong with the host, so that it cannot carry a run on for now. */
export interface Trouble {
  readonly run_id: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** How often it was tried in vain, one time after the other. */
  readonly attempts: number;
  /** When it is tried again; null: when somebody comes who can. */
  readonly next_at: string | null;
}

/** One that is tried again. */
export type Tried = Trouble & { readonly next_at: string };

/** That a run waits for another host, for this reason. */
export function waitingOf(run_id: string, { code, message, hint }: PatchbayError): Trouble {
  return { run_id, code, message, hint, attempts: 0, next_at: null };
}

/** What an error says of the trouble with a run. */
export function troubleOf(run_id: string, thrown: unknown, attempts: number, next_at: Date): Tried {
  const error =
    thrown instanceof PatchbayError ? thrown : new PatchbayError('INTERNAL', messageOf(thrown), { cause: thrown });
  const { code, message, hint } = error;
  return { run_id, code, message, hint, attempts, next_at: next_at.toISOString() };
}

/** Lets commands beside a host see which runs it cannot carry on: it is no event of the run, and no fact for ever. */
export function writeTroubles(stateDir: string, troubles: readonly Trouble[]): void {
  mkdirSync(join(stateDir, 'runs'), { recursive: true, mode: 0o700 });
  writeWhole(fileIn(stateDir), `${JSON.stringify(troubles, undefined, 2)}\n`);
}

/** Which runs the host of a project cannot carry on; none if nobody has written that down. */
export function readTroubles(stateDir: string): readonly Trouble[] {
  try {
    return JSON.parse(readFileSync(fileIn(stateDir), 'utf8')) as Trouble[];
  } catch {
    return [];
  }
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'runs', 'troubles.json');
}
