import type { Run } from '../command.ts';
import { withServers } from '../mcp.ts';

export const run: Run = async (input) => {
  const [name = ''] = input.args;
  const status = await withServers(input, ({ stop }) => stop(name));
  return { json: status, text: `${name} does not run; it is started when somebody asks it for something.` };
};
