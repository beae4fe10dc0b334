import { cpus } from 'node:os';

/** One line of a benchmark: ours beside the peers, in `unit`. */
export interface Row {
  readonly case: string;
  readonly ours: number;
  readonly unit: string;
  readonly peers: Readonly<Record<string, number>>;
}

/** Something promised: `got` must not be over `limit`. */
export interface Goal {
  readonly goal: string;
  readonly limit: number;
  readonly got: number;
  readonly ok: boolean;
}

/** What a benchmark found. */
export interface Report {
  readonly bench: string;
  readonly rows: readonly Row[];
  readonly goals: readonly Goal[];
}

export function goal(what: string, limit: number, got: number): Goal {
  return { goal: what, limit, got: round(got), ok: got <= limit };
}

/** Three significant digits: more would be noise. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

export function machine(): Record<string, unknown> {
  const [cpu] = cpus();
  return { node: process.version, cpu: cpu?.model, cores: cpus().length, date: new Date().toISOString().slice(0, 10) };
}

/** A report for people: ours, then each peer with its ratio to ours' floor. */
export function render({ bench, rows, goals }: Report): string {
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers)))];
  const table = [
    ['case', 'unit', 'ours', ...peers],
    ...rows.map((row) => [
      row.case,
      row.unit,
      String(round(row.ours)),
      ...peers.map((peer) => (row.peers[peer] === undefined ? '' : String(round(row.peers[peer])))),
    ]),
  ];
  const lines = goals.map(({ goal, limit, got, ok }) => [ok ? 'ok' : 'MISSED', String(got), `<= ${limit}`, goal]);
  return [`# ${bench}`, align(table), '', 'goals', align(lines)].join('\n');
}

function align(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, i) => Math.max(...table.map((row) => (row[i] ?? '').length)));
  return table
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
