import { tunnelStatus } from 'patchbay-host';
import { beside } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';
import { plainLine } from '../width.ts';

export const run: Run = async (input) => {
  const tunnels = await beside(input, ({ kernel }) => tunnelStatus(kernel));
  const rows = tunnels.map(({ name, available, connected, summary, problem }) => [
    plainLine(name),
    available ? 'available' : 'not available',
    connected ? 'connected' : 'not connected',
    plainLine(problem === null ? (summary ?? '') : `problem: ${problem}`),
  ]);
  return { json: tunnels, text: rows.length === 0 ? 'No plugin knows a tunnel.' : columns(rows) };
};
