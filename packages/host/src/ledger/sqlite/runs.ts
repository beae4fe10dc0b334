import type { DatabaseSync } from 'node:sqlite';
import { PatchbayError } from 'patchbay-sdk';
import type { Draft } from '../draft.ts';
import { isStep, statusAfter } from '../run-status.ts';
import type { RunRequest, RunRow } from '../store.ts';
import type { RunTableRow } from './tables.ts';

/** The statements about runs. Those that change something belong inside a transaction of the writer's. */
export class RunStatements {
  readonly #one;
  readonly #head;
  readonly #request;
  readonly #step;

  constructor(db: DatabaseSync) {
    this.#one = db.prepare('SELECT * FROM runs WHERE run_id = ?');
    this.#head = db.prepare('SELECT head FROM runs WHERE run_id = ?');
    this.#request = db.prepare(`INSERT INTO runs (run_id, status, template, goal, request, head, created_at, updated_at)
      VALUES (?, 'pending', ?, ?, ?, 0, ?, ?) ON CONFLICT (run_id) DO NOTHING`);
    this.#step = db.prepare(`INSERT INTO runs (run_id, status, template, goal, head, created_at, updated_at)
      VALUES (?, coalesce(?, 'active'), ?, ?, ?, ?, ?) ON CONFLICT (run_id)
      DO UPDATE SET status = coalesce(?, status), head = excluded.head, updated_at = excluded.updated_at`);
  }

  read(run: string): RunRow | undefined {
    const row = this.#one.get(run) as unknown as RunTableRow | undefined;
    return row === undefined ? undefined : runOf(row);
  }

  /** Whether there was none of this id. */
  request({ run_id, template, goal, ...rest }: RunRequest, now: string): boolean {
    return Number(this.#request.run(run_id, template, goal, JSON.stringify(rest), now, now).changes) > 0;
  }

  /** Throws `RUN_MOVED` if the run has taken a step that the caller does not know of. */
  expect(run: string, head: number): void {
    const found = (this.#head.get(run) as { head: number } | undefined)?.head ?? 0;
    if (found === head) return;
    const message = `run ${run} has gone on: its last step is event ${found}, not ${head}`;
    throw new PatchbayError('RUN_MOVED', message, { run });
  }

  /** Notes that an event was a step of its run. */
  step({ type, run_id, at, template, goal }: Draft, seq: number): void {
    if (run_id === null || !isStep(type)) return;
    const status = statusAfter[type] ?? null;
    this.#step.run(run_id, status, template, goal, seq, at, at, status);
  }
}

/** The run of a row. */
export function runOf({ request, n: _, ...row }: RunTableRow): RunRow {
  return { ...row, request: request === null ? null : (JSON.parse(request) as RunRow['request']) };
}
