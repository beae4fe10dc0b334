import { loadRun } from 'patchbay-host';
import { working } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { runOutput, whoami } from '../run-output.ts';

export const run: Run = (input) => {
  const { args, options } = input;
  const [run_id = ''] = args;
  return working(input, async (service) => {
    await service.runs.abort(run_id, whoami(options['by']), String(options['reason'] ?? 'ended by hand'));
    await service.rest();
    const { state } = await loadRun(service.ledger, run_id);
    return state === undefined ? { json: { run_id }, text: run_id } : runOutput(state);
  });
};
