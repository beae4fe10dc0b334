import { backlogOf } from 'patchbay-host';
import type { Run } from '../command.ts';
import { countOption, projectLedger } from '../ledger.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ options, cwd }) => {
  const day = countOption('day', options['day']);
  const ledger = await projectLedger(cwd);
  try {
    const all = ledger === undefined ? [] : await backlogOf(ledger);
    const items = all
      .filter(({ days }) => day === undefined || days.includes(day))
      .map((item) => ({ ...item, state: item.cleared === null ? 'open' : 'cleared' }));
    const lines = items.map(({ id, state, by, days, advisory, cleared }) => [
      id,
      state,
      by,
      days.length === 0 ? '-' : `day ${days.join(', ')}`,
      cleared === null ? advisory : `${advisory} (${cleared.by}: ${cleared.reason})`,
    ]);
    return { json: items, text: lines.length === 0 ? 'No advisories.' : columns(lines) };
  } finally {
    await ledger?.close();
  }
};
