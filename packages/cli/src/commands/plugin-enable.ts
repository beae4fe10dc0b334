import { enablePlugin } from 'patchbay-host/install/manage';
import type { Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';

export const run: Run = async ({ args, cwd }) => {
  const plugin = await enablePlugin(cwd, args[0] ?? '', true);
  const ledger = await projectLedger(cwd);
  const revived = await ledger?.revive(plugin.name).finally(() => ledger.close());
  const again = revived === undefined || revived === 0 ? '' : '; its requests are sent again';
  return { json: plugin, text: `Enabled ${plugin.name}${again}` };
};
