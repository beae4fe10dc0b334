import { verifyPlugins } from 'patchbay-host/install/manage';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ args, cwd }) => {
  const results = await verifyPlugins(cwd, args[0]);
  const lines = results.map(({ name, ok, detail }) => [ok ? 'ok' : 'CHANGED', name, detail]);
  return {
    json: results,
    text: lines.length === 0 ? 'No plugins are installed.' : columns(lines),
    exitCode: results.every(({ ok }) => ok) ? 0 : 1,
  };
};
