import { PatchbayError } from 'patchbay-sdk';
import type { LedgerStore, RunRow } from '../ledger/index.ts';
import type { Wanted } from './started.ts';
import { apply, fold, type RunState, unbegun } from './state.ts';

/** Writes down that a run is wanted; whoever is the host of the project carries it out. */
export async function requestRun(ledger: LedgerStore, wanted: Wanted): Promise<void> {
  const { template, ...rest } = wanted;
  await ledger.requestRun({ ...rest, template: template.name, snapshot: template });
}

/** The state of a run, from its events; undefined if it has none yet. Throws RUN_UNKNOWN. */
export async function loadRun(
  ledger: LedgerStore,
  run_id: string,
): Promise<{ row: RunRow; state: RunState | undefined }> {
  const row = await ledger.run(run_id);
  if (row === undefined) throw new PatchbayError('RUN_UNKNOWN', `there is no run ${run_id}`, { run: run_id });
  const steps = [];
  for await (const event of ledger.events({ run: run_id })) {
    if (/^(?:run|turn|gate|approval|advisory):/.test(event.type)) steps.push(event);
  }
  // One that was ended before it began has no other step.
  if (steps[0]?.type === 'run:aborted') return { row, state: apply(unbegun(row), steps[0]) };
  return { row, state: fold(steps) };
}
