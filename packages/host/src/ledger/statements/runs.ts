import { PatchbayError } from 'patchbay-sdk';
import { type RunTableRow, runOf } from '../rows.ts';
import type { RunRequest, RunRow } from '../store.ts';
import { countIn, rowIn, type Steps, to } from './steps.ts';

const one = 'SELECT * FROM runs WHERE run_id = ?';
const request = `INSERT INTO runs (run_id, status, template, goal, request, head, created_at, updated_at)
  VALUES (?, 'pending', ?, ?, ?, 0, ?, ?) ON CONFLICT (run_id) DO NOTHING`;

/** The run of an id. */
export function* readRun(run: string): Steps<RunRow | undefined> {
  const row = rowIn<RunTableRow>(yield to(one, run));
  return row === undefined ? undefined : runOf(row);
}

/** Writes down that a run is wanted. Whether there was none of this id. */
export function* requestRun({ run_id, template, goal, ...rest }: RunRequest, now: string): Steps<boolean> {
  return countIn(yield to(request, run_id, template, goal, JSON.stringify(rest), now, now)) > 0;
}

/** Throws `RUN_MOVED` if the last step of a run is not the one that the maker of the next one knows of. */
export function mustStandAt(run: string, known: number | undefined, found: number): void {
  if (found === known) return;
  const message = `run ${run} has gone on: its last step is event ${found}, not ${known ?? 'one that is there'}`;
  throw new PatchbayError('RUN_MOVED', message, { run });
}
