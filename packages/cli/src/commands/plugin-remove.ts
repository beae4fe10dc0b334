import { removePlugin } from 'patchbay-host/install/manage';
import type { Run } from '../command.ts';

export const run: Run = async ({ args, cwd }) => {
  const removed = await removePlugin(cwd, args[0] ?? '');
  return { json: removed, text: `Removed ${removed.name}` };
};
