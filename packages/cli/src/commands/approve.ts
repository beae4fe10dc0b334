import type { Run } from '../command.ts';
import { decideOnCall, isCall } from '../decide-call.ts';
import { whoami } from '../run-output.ts';
import { vote } from '../vote.ts';

export const run: Run = (input) => {
  const { by, comment } = input.options;
  const [id] = input.args;
  const decided = {
    by: whoami(by),
    decision: 'approved' as const,
    comment: comment === undefined ? null : String(comment),
  };
  return isCall(id) ? decideOnCall(input, id, decided) : vote(input, decided);
};
