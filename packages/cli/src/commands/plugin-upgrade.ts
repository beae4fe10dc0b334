import { upgradePlugin } from 'patchbay-host/install';
import type { Run } from '../command.ts';
import { bringing, installedText } from '../plugin-options.ts';

export const run: Run = async ({ args, options, cwd }) => {
  const from = options['from'];
  const installed = await upgradePlugin(args[0] ?? '', {
    ...bringing(cwd, options),
    ...(typeof from === 'string' ? { from } : {}),
  });
  return { json: installed, text: installedText('Upgraded', installed) };
};
