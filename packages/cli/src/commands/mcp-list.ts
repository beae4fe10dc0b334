import type { Run } from '../command.ts';
import { serverRow, withServers } from '../mcp.ts';
import { columns } from '../text.ts';
import { plainLine } from '../width.ts';

export const run: Run = async (input) => {
  const servers = await withServers(input, (all) => all.status());
  const rows = servers.map((server) => serverRow(server).map(plainLine));
  return { json: servers, text: rows.length === 0 ? 'There are no MCP servers.' : columns(rows) };
};
