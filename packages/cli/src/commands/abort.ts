import { changing } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { standingOutput, whoami } from '../run-output.ts';

export const run: Run = async (input) => {
  const { args, options } = input;
  const [run_id = ''] = args;
  const reason = String(options['reason'] ?? 'ended by hand');
  return standingOutput(await changing(input, run_id, (runs) => runs.abort(run_id, whoami(options['by']), reason)));
};
