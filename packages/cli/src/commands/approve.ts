import { carryOn, working } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { runOutput, whoami } from '../run-output.ts';

export const run: Run = (input) => {
  const { args, options } = input;
  const [run_id = ''] = args;
  return working(input, async (service) => {
    const comment = options['comment'] === undefined ? null : String(options['comment']);
    await service.runs.vote(run_id, { by: whoami(options['by']), decision: 'approved', comment });
    return runOutput(await carryOn(service, run_id, input));
  });
};
