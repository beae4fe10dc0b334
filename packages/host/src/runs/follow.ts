import type { LedgerStore, RunRow, StoredEvent } from '../ledger/index.ts';
import { loadRun } from './load.ts';
import { restOf } from './rest.ts';
import type { RunState } from './state.ts';

/** How a run stands; without a state if it has not begun. */
export interface Standing {
  readonly row: RunRow;
  readonly state: RunState | undefined;
}

/**
 * Follows a run that another process carries on, until it has ended, waits for somebody, or the signal. `hear` is told what
 * happens in it meanwhile. Throws RUN_UNKNOWN.
 */
export async function followRun(
  ledger: LedgerStore,
  run_id: string,
  { signal, hear }: { readonly signal: AbortSignal; readonly hear: (event: StoredEvent) => void },
): Promise<Standing> {
  let standing = await loadRun(ledger, run_id);
  if (isAtRest(standing)) return standing;
  const afterSeq = standing.state?.head ?? 0;
  for await (const event of ledger.follow({ run: run_id, afterSeq }, signal)) {
    hear(event);
    standing = await loadRun(ledger, run_id);
    // What happened up to there is told first.
    if (isAtRest(standing) && event.seq >= (standing.state?.head ?? 0)) return standing;
  }
  return loadRun(ledger, run_id);
}

function isAtRest({ state }: Standing): boolean {
  return state !== undefined && restOf(state, new Date()).at === 'rest';
}
