import { listPlugins } from 'patchbay-host/install/listing';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ cwd }) => {
  const plugins = await listPlugins(cwd);
  const lines = plugins.map(({ name, version, hooks, enabled, status }) => [
    name,
    `v${version}`,
    `${hooks.length} ${hooks.length === 1 ? 'hook' : 'hooks'}`,
    enabled ? 'enabled' : 'disabled',
    ...(status === 'ok' ? [] : [status]),
  ]);
  const text = lines.length === 0 ? 'No plugins are installed.' : `Installed plugins:\n${columns(lines)}`;
  return { json: plugins, text };
};
