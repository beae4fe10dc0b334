import type { Reporter, RunReport } from 'patchbay-sdk';

const signs: Readonly<Record<string, string>> = { SHIP: '✅', HOLD: '⛔', ADVISORY: '⚠️' };

/** A page for people beside the job: how the run ended, by whom it was judged and how, what it cost. */
export const summary: Reporter = {
  name: 'summary',
  byDefault: false,
  report: async (report) => ({ summary: page(report) }),
};

function page({ run_id, day, goal, decision, status, reason, turns, cost }: RunReport): string {
  const what = day === null ? `Run ${run_id}` : `Day ${day}`;
  const how = decision ?? status;
  return [
    `## ${signs[how] ?? ''} ${what}: ${how}`.replace('  ', ' '),
    '',
    line(goal),
    ...(reason === null ? [] : ['', `**Why:** ${line(reason)}`]),
    '',
    '| role | attempt | state | what |',
    '|---|---|---|---|',
    ...turns.map((turn) => `| ${turn.role} | ${turn.attempt} | ${turn.state} | ${line(turn.summary ?? '')} |`),
    '',
    `Cost: $${cost.usd.toFixed(2)}, ${cost.input_tokens + cost.output_tokens} tokens. Run \`${run_id}\`.`,
    '',
  ].join('\n');
}

function line(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim().slice(0, 300);
}
