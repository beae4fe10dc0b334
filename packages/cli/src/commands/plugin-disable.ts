import { enablePlugin } from 'patchbay-host/install/manage';
import type { Run } from '../command.ts';

export const run: Run = async ({ args, cwd }) => {
  const plugin = await enablePlugin(cwd, args[0] ?? '', false);
  return { json: plugin, text: `Disabled ${plugin.name}` };
};
