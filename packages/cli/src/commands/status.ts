import { loadRun } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';
import { runOutput } from '../run-output.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ args, cwd }) => {
  const [run_id] = args;
  const ledger = await projectLedger(cwd);
  try {
    if (run_id === undefined) {
      const rows = [];
      if (ledger !== undefined)
        for await (const row of ledger.runs({ limit: 1000, newestFirst: true })) rows.unshift(row);
      const json = rows.map(({ request: _, head: __, ...row }) => row);
      const lines = rows.map(({ run_id: id, status, template, goal, updated_at }) => [
        id,
        status,
        template ?? '',
        updated_at,
        goal ?? '',
      ]);
      return { json, text: lines.length === 0 ? 'No runs.' : columns(lines) };
    }
    if (ledger === undefined) throw new PatchbayError('RUN_UNKNOWN', `there is no run ${run_id}`, { run: run_id });
    const { row, state } = await loadRun(ledger, run_id);
    if (state === undefined) {
      return {
        json: { run_id, template: row.template, status: row.status, turns: [], gates: [] },
        text: `${run_id}: ${row.status}`,
      };
    }
    return { ...runOutput(state), exitCode: 0 };
  } finally {
    await ledger?.close();
  }
};
