import { PatchbayError } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { decideOnCall, isCall } from '../decide-call.ts';
import { whoami } from '../run-output.ts';
import { vote } from '../vote.ts';

export const run: Run = (input) => {
  const { by, reason } = input.options;
  const [id] = input.args;
  const decided = { by: whoami(by), decision: 'refused' as const };
  if (isCall(id)) return decideOnCall(input, id, { ...decided, comment: reason === undefined ? null : String(reason) });
  if (reason === undefined) throw new PatchbayError('USAGE', 'say with --reason why');
  return vote(input, { ...decided, comment: String(reason) });
};
