import { PatchbayError } from 'patchbay-sdk';
import { changing } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { runOutput, whoami } from '../run-output.ts';

export const run: Run = async (input) => {
  const { args, options } = input;
  const [run_id = ''] = args;
  if (options['reason'] === undefined) throw new PatchbayError('USAGE', 'say with --reason why');
  const vote = { by: whoami(options['by']), decision: 'refused', comment: String(options['reason']) } as const;
  return runOutput(await changing(input, run_id, (runs) => runs.vote(run_id, vote)));
};
