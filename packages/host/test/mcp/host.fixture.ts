import { hooks } from 'patchbay-sdk';
import { Kernel } from '../../src/kernel/index.ts';
import { McpSupervisor } from '../../src/mcp/index.ts';
import { Launcher } from '../../src/sandbox/launcher.ts';

// Plays a host that is killed: its servers run until then.
const [project = '', settings = '{}'] = process.argv.slice(2);
const mcp = await McpSupervisor.open({
  kernel: new Kernel(hooks),
  project,
  settings: JSON.parse(settings),
  workspaceOf: () => ({ mcpServers: ['*'] }),
  launcher: new Launcher({ project }),
  env: process.env,
});
await mcp.list('any');
process.stdout.write(`${JSON.stringify(mcp.status())}\n`);
setInterval(() => {}, 1_000);
