import { followRun, holderOf, readTroubles, type Standing } from 'patchbay-host';
import type { LedgerStore } from 'patchbay-host/ledger';
import { type ErrorCode, PatchbayError } from 'patchbay-sdk';
import type { Input } from './command.ts';
import { stepLine } from './run-output.ts';

const lookEveryMs = 500;
/** So often a host may not be there, one time after the other: it may be started again just now. */
const patience = 10;

/** Those who carry runs on beside this process. */
export interface Beside {
  /** Whether anybody does. */
  isServed(): boolean;
  /** What they have trouble with in a run. */
  troubleOf(run_id: string): PatchbayError | undefined;
}

/** The host that works in the same folder. */
export function besideIn(stateDir: string): Beside {
  return {
    isServed: () => holderOf(stateDir)?.serving === true,
    troubleOf: (run_id) => troubleOf(run_id, stateDir),
  };
}

/**
 * Follows a run that others beside this process carry on, until it ends, waits, or the user ends the command. Throws what
 * they have trouble with, and HOST_GONE if there is none any more.
 */
export async function followBeside(
  ledger: LedgerStore,
  run_id: string,
  beside: Beside,
  { progress, signal }: Input,
): Promise<Standing> {
  const wrong = new AbortController();
  let missing = 0;
  const look = () => {
    missing = beside.isServed() ? 0 : missing + 1;
    const problem = missing >= patience ? gone(run_id) : beside.troubleOf(run_id);
    if (problem !== undefined) wrong.abort(problem);
  };
  const timer = setInterval(look, lookEveryMs);
  try {
    const standing = await followRun(ledger, run_id, {
      signal: AbortSignal.any([signal, wrong.signal]),
      hear: (event) => {
        const line = stepLine(event);
        if (line !== undefined) progress(line);
      },
    });
    wrong.signal.throwIfAborted();
    return standing;
  } finally {
    clearInterval(timer);
  }
}

function gone(run_id: string): PatchbayError {
  return new PatchbayError('HOST_GONE', `the host that was to carry on run ${run_id} has ended`, { run: run_id });
}

function troubleOf(run_id: string, stateDir: string): PatchbayError | undefined {
  const trouble = readTroubles(stateDir).find((one) => one.run_id === run_id);
  if (trouble === undefined) return undefined;
  const { code, message, next_at } = trouble;
  const hint = next_at === null ? trouble.hint : `${trouble.hint} The host tries it again at ${next_at}.`;
  return new PatchbayError(code as ErrorCode, message, { run: run_id, hint });
}
