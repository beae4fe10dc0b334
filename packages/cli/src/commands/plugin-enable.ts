import { enablePlugin } from 'patchbay-host/install/manage';
import type { Run } from '../command.ts';

export const run: Run = async ({ args, cwd }) => {
  const plugin = await enablePlugin(cwd, args[0] ?? '', true);
  return { json: plugin, text: `Enabled ${plugin.name}` };
};
