import { PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { projectLedger, timeOption } from '../ledger.ts';

export const run: Run = async ({ cwd, options }) => {
  const before = timeOption('before', options['before']);
  if (before === undefined) throw new PatchbayError('USAGE', 'say with --before which events are to be removed');
  const ledger = await projectLedger(cwd);
  try {
    const { events } = (await ledger?.prune(before)) ?? { events: 0 };
    return { json: { events }, text: `Removed ${events} events` };
  } finally {
    await ledger?.close();
  }
};
