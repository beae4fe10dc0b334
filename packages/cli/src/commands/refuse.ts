import { PatchbayError } from 'patchbay-sdk';
import { carryOn, working } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { runOutput, whoami } from '../run-output.ts';

export const run: Run = (input) => {
  const { args, options } = input;
  const [run_id = ''] = args;
  if (options['reason'] === undefined) throw new PatchbayError('USAGE', 'say with --reason why');
  return working(input, async (service) => {
    const comment = String(options['reason']);
    await service.runs.vote(run_id, { by: whoami(options['by']), decision: 'refused', comment });
    return runOutput(await carryOn(service, run_id, input));
  });
};
