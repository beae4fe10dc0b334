import type { Run } from '../command.ts';
import { countOption } from '../ledger.ts';
import { withServers } from '../mcp.ts';
import { plainLine } from '../width.ts';

export const run: Run = async (input) => {
  const [name = ''] = input.args;
  const count = countOption('lines', input.options['lines']) ?? 200;
  const lines = await withServers(input, ({ logs }) => logs(name, count));
  return { json: lines, text: lines.length === 0 ? 'Nothing was written down yet.' : lines.map(plainLine).join('\n') };
};
