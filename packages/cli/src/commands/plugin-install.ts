import { installPlugin } from 'patchbay-host/install';
import type { Run } from '../command.ts';
import { bringing, installedText } from '../plugin-options.ts';

export const run: Run = async ({ args, options, cwd }) => {
  const installed = await installPlugin(args[0] ?? '', bringing(cwd, options));
  return { json: installed, text: installedText('Installed', installed) };
};
