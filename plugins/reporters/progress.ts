import type { Reporter, RunReport } from 'patchbay-sdk';

const begin = '<!-- patchbay: what follows is kept up to date, write above or below -->';
const end = '<!-- patchbay: end -->';
const head = ['| day | plan | actual | decision | attempts | cost |', '|---|---|---|---|---|---|'];

/** A table in a Markdown file of the project, with a row for each day: what was planned, what came of it, what it cost. */
export const progress: Reporter = {
  name: 'markdown',
  byDefault: false,
  report: async (report, read) => {
    const path = 'PROGRESS.md';
    return { files: [{ path, text: updated((await read(path)) ?? '# Progress\n', report) }] };
  },
};

function updated(text: string, report: RunReport): string {
  const [before = '', rest] = split(text, begin);
  const [block = '', after = ''] = rest === undefined ? [] : split(rest, end);
  const key = `<!-- ${report.day === null ? report.run_id : `day ${report.day}`} -->`;
  const rows = block.split('\n').filter((line) => line.endsWith('-->') && !line.endsWith(key));
  rows.push(`${rowOf(report)} ${key}`);
  rows.sort((a, b) => dayOf(a) - dayOf(b));
  const above = before === '' || before.endsWith('\n\n') ? before : `${before.replace(/\n?$/, '\n')}\n`;
  return `${above}${[begin, '', ...head, ...rows, '', end].join('\n')}${after === '' ? '\n' : after}`;
}

/** What stands before a line, and after it; undefined if it is not there. */
function split(text: string, line: string): [string, string | undefined] {
  const at = text.indexOf(line);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + line.length)];
}

function dayOf(row: string): number {
  return Number(/<!-- day (\d+) -->$/.exec(row)?.[1] ?? Number.POSITIVE_INFINITY);
}

function rowOf({ day, goal, turns, decision, status, reason, cost }: RunReport): string {
  const story = turns.find(({ role }) => role === 'prime')?.report?.['title'];
  const attempts = Math.max(1, ...turns.map(({ attempt }) => attempt));
  const came = reason ?? (typeof story === 'string' ? story : status);
  const cells = [day ?? '–', goal, came, decision ?? status, attempts, `$${cost.usd.toFixed(2)}`];
  return `| ${cells.map((cell) => inCell(String(cell))).join(' | ')} |`;
}

/** One line, in which nothing is a column or ends the row. */
function inCell(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
