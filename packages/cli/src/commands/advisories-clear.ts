import { PatchbayError } from 'patchbay-sdk';
import { beside } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { whoami } from '../run-output.ts';

export const run: Run = async (input) => {
  const [id = ''] = input.args;
  const { by, reason } = input.options;
  if (reason === undefined) throw new PatchbayError('USAGE', 'say with --reason why it need not be raised again');
  const item = await beside(input, (host) => host.beside((runs) => runs.clear(id, whoami(by), String(reason))));
  const text = `${id} is cleared by ${item.cleared?.by}: ${item.cleared?.reason}`;
  return { json: { ...item, state: 'cleared' }, text };
};
