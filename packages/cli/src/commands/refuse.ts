import { PatchbayError } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { whoami } from '../run-output.ts';
import { vote } from '../vote.ts';

export const run: Run = (input) => {
  const { by, reason } = input.options;
  if (reason === undefined) throw new PatchbayError('USAGE', 'say with --reason why');
  return vote(input, { by: whoami(by), decision: 'refused', comment: String(reason) });
};
