import {
  dayRuns,
  dollars,
  findProject,
  holderOf,
  isChatRun,
  loadRun,
  readTroubles,
  signOfLife,
  spendByDay,
  standingOf,
  stateDir,
} from 'patchbay-host';
import type { LedgerStore } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk/errors';
import type { Output, Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';
import { standingOutput } from '../run-output.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ args, cwd, options }) => {
  const [run_id] = args;
  // There is one for every message, and messages are looked at elsewhere.
  const isShown = (id: string) => options['chats'] === true || !isChatRun(id);
  const ledger = await projectLedger(cwd);
  try {
    if (run_id === undefined) {
      const rows = [];
      if (ledger !== undefined)
        for await (const row of ledger.runs({ newestFirst: true })) {
          if (isShown(row.run_id)) rows.unshift(row);
          if (rows.length === 1000) break;
        }
      const days = ledger === undefined ? [] : await daysOf(ledger);
      const dayOf = (id: string) => days.find(({ runs }) => runs.includes(id));
      const json = rows.map(({ request: _, head: __, ...row }) => {
        const its = dayOf(row.run_id);
        return its === undefined ? row : { ...row, day: its.day, day_usd: its.usd };
      });
      const lines = rows.map(({ run_id: id, status, template, goal, updated_at }) => [
        id,
        status,
        template ?? '',
        updated_at,
        goal ?? '',
      ]);
      const spent = days.map(({ day, state, usd }) => [`day ${day}`, state, dollars(usd)]);
      const parts = [lines.length === 0 ? 'No runs.' : columns(lines), ...(spent.length === 0 ? [] : [columns(spent)])];
      return { json, text: parts.join('\n\n') };
    }
    if (ledger === undefined) throw new PatchbayError('RUN_UNKNOWN', `there is no run ${run_id}`, { run: run_id });
    const dir = findProject(cwd)?.dir ?? cwd;
    const output = standingOutput(await loadRun(ledger, run_id), (turn) => signOfLife(dir, run_id, turn));
    return { ...withTrouble(output, run_id, dir), exitCode: 0 };
  } finally {
    await ledger?.close();
  }
};

/** What keeps a host that serves from carrying the run on is told with it. */
function withTrouble(output: Output, run_id: string, dir: string): Output {
  const state = stateDir(dir);
  const isServed = holderOf(state)?.serving === true;
  const trouble = isServed ? readTroubles(state).find((one) => one.run_id === run_id) : undefined;
  if (trouble === undefined) return output;
  const { run_id: _, ...told } = trouble;
  const next = told.next_at === null ? '' : `; it tries again at ${told.next_at}`;
  const text = `${output.text}\nThe host cannot carry it on: ${told.message}${next}.`;
  return { json: { ...(output.json as object), trouble: told }, text };
}

/** The days that were ever begun: how each stands, what it has cost, and its runs. */
async function daysOf(ledger: LedgerStore) {
  const runs = await dayRuns(ledger);
  return (await spendByDay(ledger, runs)).map(({ day, usd }) => ({
    day,
    usd,
    state: standingOf(runs, day).state,
    runs: runs.filter((run) => run.day === day).map(({ run_id }) => run_id),
  }));
}
