import { pendingCalls } from 'patchbay-host';
import type { Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';
import { columns } from '../text.ts';

/** More of an input is shown by `--json`. */
const mostShown = 500;

/** In one line, without anything that a terminal would obey. */
function inputText(input: object): string {
  const text = JSON.stringify(input).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

export const run: Run = async ({ options: { workspace }, cwd }) => {
  const ledger = await projectLedger(cwd);
  try {
    const all = ledger === undefined ? [] : await pendingCalls(ledger, Date.now());
    const items = all.filter((call) => workspace === undefined || call.workspace === workspace);
    const lines = items.map(({ approval_id, tool, workspace: where, input, expires_at, why }) => [
      approval_id,
      where ?? '-',
      tool,
      inputText(input),
      `until ${expires_at}`,
      why,
    ]);
    const text = `${columns(lines)}\n\nDecide with: patchbay approve ID, or patchbay refuse ID --reason "…"`;
    return { json: items, text: items.length === 0 ? 'Nothing waits for a decision.' : text };
  } finally {
    await ledger?.close();
  }
};
