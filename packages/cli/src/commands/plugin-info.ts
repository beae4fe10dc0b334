import { describePlugin } from 'patchbay-host/install/describe';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ args, cwd }) => {
  const plugin = await describePlugin(cwd, args[0] ?? '');
  const { name, version, hooks, enabled, status, source, grants, manifest } = plugin;
  const text = columns([
    [`${name} v${version}`, manifest.description],
    ['form', manifest.form],
    ['hooks', hooks.join(', ') || 'none'],
    ['may', grants.join(', ') || 'nothing'],
    ['from', source],
    ['state', `${enabled ? 'enabled' : 'disabled'}, ${status}`],
  ]);
  return { json: plugin, text };
};
