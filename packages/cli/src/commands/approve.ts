import { changing } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { runOutput, whoami } from '../run-output.ts';

export const run: Run = async (input) => {
  const { args, options } = input;
  const [run_id = ''] = args;
  const comment = options['comment'] === undefined ? null : String(options['comment']);
  const vote = { by: whoami(options['by']), decision: 'approved', comment } as const;
  return runOutput(await changing(input, run_id, (runs) => runs.vote(run_id, vote)));
};
