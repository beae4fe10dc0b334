import { removePlugin } from 'patchbay-host/install/manage';
import type { Run } from '../command.ts';

export const run: Run = async ({ args, cwd }) => {
  const { name } = await removePlugin(cwd, args[0] ?? '');
  // Should this not come about, the next host cancels what a plugin is owed that is gone.
  const { projectLedger } = await import('../ledger.ts');
  const ledger = await projectLedger(cwd);
  const cancelled = (await ledger?.cancel(name, 'the plugin was removed').finally(() => ledger.close())) ?? 0;
  const more = cancelled === 0 ? '' : `; ${cancelled} deliveries it was still owed are cancelled`;
  return { json: { name, cancelled }, text: `Removed ${name}${more}` };
};
