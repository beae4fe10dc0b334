import { createHash } from 'node:crypto';
import type { DeliveryRow, EventRow, RunTableRow } from '../rows.ts';
import type { Endpoint, Failing } from '../store.ts';

/** A row on its way: its columns by name. */
export type Row = Readonly<Record<string, unknown>>;

/** A table of a ledger, wherever it is kept. */
export interface Table {
  readonly name: TableName;
  /** What is moved of it: the name of each column, and what PostgreSQL calls its kind. */
  readonly columns: Readonly<Record<string, Kind>>;
  /** The order of its rows, which is the same everywhere. */
  readonly order: string;
}

/** What is counted, for people and programs. */
export type TableName = 'events' | 'deliveries' | 'failing' | 'endpoints' | 'runs' | 'notes';

/** How many rows of each table there are. */
export type Counts = Readonly<Record<TableName, number>>;

type Kind = 'text' | 'bigint' | 'double precision';

const events = {
  seq: 'bigint',
  id: 'text',
  type: 'text',
  at: 'text',
  run_id: 'text',
  turn_id: 'text',
  role: 'text',
  phase: 'text',
  payload: 'text',
  hash: 'text',
} as const satisfies Record<keyof EventRow, Kind>;

const deliveries = {
  seq: 'bigint',
  n: 'bigint',
  plugin: 'text',
  handler: 'text',
  awaited: 'bigint',
  status: 'text',
  attempts: 'bigint',
  due_at: 'text',
  settled_at: 'text',
  exit_code: 'bigint',
  signal: 'text',
  http_status: 'bigint',
  verdict: 'text',
  message: 'text',
  annotations: 'text',
  duration_ms: 'double precision',
  plugin_version: 'text',
  plugin_digest: 'text',
  request: 'text',
  asked_at: 'text',
} as const satisfies Record<keyof DeliveryRow, Kind>;

const failing = {
  plugin: 'text',
  handler: 'text',
  failures: 'bigint',
  last: 'text',
  message: 'text',
} as const satisfies Record<keyof Failing, Kind>;

const endpoints = { ...failing, disabled_at: 'text' } as const satisfies Record<keyof Endpoint, Kind>;

/** Their numbers are only for their order: the database gives them new ones. */
const runs = {
  run_id: 'text',
  status: 'text',
  template: 'text',
  goal: 'text',
  request: 'text',
  head: 'bigint',
  created_at: 'text',
  updated_at: 'text',
} as const satisfies Record<keyof Omit<RunTableRow, 'n'>, Kind>;

/** The tables that are moved, in an order in which nothing refers to what is not there yet. */
export const tables: readonly Table[] = [
  { name: 'events', columns: events, order: 'seq' },
  { name: 'deliveries', columns: deliveries, order: 'seq, n' },
  { name: 'failing', columns: failing, order: 'plugin, handler' },
  { name: 'endpoints', columns: endpoints, order: 'plugin, handler' },
  { name: 'runs', columns: runs, order: 'n' },
  { name: 'notes', columns: { key: 'text', value: 'text' }, order: 'key' },
];

/** The columns of a table, as a statement names them. */
export function columnsOf({ columns }: Table): string {
  return Object.keys(columns)
    .map((column) => `"${column}"`)
    .join(', ');
}

/** Knows rows again: the same rows in the same order come to the same text. */
export class Digest {
  readonly #columns: readonly string[];
  readonly #hash = createHash('sha256');
  #count = 0;

  constructor({ columns }: Table) {
    this.#columns = Object.keys(columns);
  }

  add(row: Row): void {
    this.#hash.update(`${JSON.stringify(this.#columns.map((column) => row[column] ?? null))}\n`);
    this.#count++;
  }

  /** How many rows there were. */
  get count(): number {
    return this.#count;
  }

  /** To be called once, when there are no more. */
  text(): string {
    return this.#hash.digest('hex');
  }
}
