import type { Run } from '../command.ts';
import { withServers } from '../mcp.ts';
import { plainLine } from '../width.ts';

export const run: Run = (input) => {
  const [name = ''] = input.args;
  return withServers(input, async ({ served, start, tools }) => {
    const status = await start(name);
    const offered = await tools(name);
    const names = offered.map((tool) => plainLine(tool.name)).join(', ');
    const after = served
      ? ''
      : '\nNo host serves this project, so it ends again now; a host starts it when it is needed.';
    return { json: { ...status, tools: offered }, text: `${name} answers. Its tools: ${names || 'none'}.${after}` };
  });
};
