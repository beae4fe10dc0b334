import type { Run } from '../command.ts';
import { whoami } from '../run-output.ts';
import { vote } from '../vote.ts';

export const run: Run = (input) => {
  const { by, comment } = input.options;
  return vote(input, {
    by: whoami(by),
    decision: 'approved',
    comment: comment === undefined ? null : String(comment),
  });
};
