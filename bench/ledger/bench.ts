import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sample } from 'patchbay-sdk';
import { newEvent, openLedger } from '../../packages/host/src/ledger/index.ts';
import type { AnyPayload, LedgerStore, Owed } from '../../packages/host/src/ledger/store.ts';
import { type Effort, median } from '../measure.ts';
import { goal, type Report, type Row } from '../report.ts';
import { onPostgres } from './postgres.ts';
import { fill, rawInserts } from './raw.ts';

const plugins = ['audit', 'mirror', 'notify', 'report'];
const owes: Owed[] = plugins.map((plugin) => ({ plugin, handler: `${plugin}#1` }));
/** As many as the ledger writes at once when they come in a flood. */
const batch = 512;
/** Rounds before those that count: until the engine has optimised both. */
const warmUp = 15;

function payloads(n: number): AnyPayload[] {
  const { event, event_id, at, ...fields } = sample('turn:rejected');
  return Array.from({ length: n }, () => newEvent(event, fields));
}

async function microseconds(act: () => unknown): Promise<number> {
  const start = process.hrtime.bigint();
  await act();
  return Number(process.hrtime.bigint() - start) / 1e3;
}

/** The whole life of some events: appended, found by each plugin, settled. */
async function live(ledger: LedgerStore, events: readonly AnyPayload[]): Promise<void> {
  await Promise.all(events.map((event) => ledger.append(event, owes)));
  for (const plugin of plugins) {
    const owed = await ledger.owed(plugin, { limit: events.length });
    await Promise.all(owed.map(({ delivery }) => ledger.settle(delivery.id, { status: 'ok', duration_ms: 1 })));
  }
}

async function appendBesideRaw(work: string, rounds: number): Promise<{ ours: number[]; raw: number[] }> {
  const file = join(work, 'raw.db');
  await (await openLedger(file)).close();
  const db = new DatabaseSync(file);
  const insert = rawInserts(db, owes);
  const ledger = await openLedger(join(work, 'ours.db'));
  const taken = { ours: [] as number[], raw: [] as number[] };
  try {
    for (let round = -warmUp; round < rounds; round++) {
      const [mine, theirs] = [payloads(batch), payloads(batch)];
      const rows = insert.rowsOf(theirs);
      const ours = await microseconds(() => Promise.all(mine.map((event) => ledger.append(event, owes))));
      const raw = await microseconds(() => insert.write(rows));
      if (round < 0) continue;
      taken.ours.push(ours / batch);
      taken.raw.push(raw / batch);
    }
  } finally {
    db.close();
    await ledger.close();
  }
  return taken;
}

async function lifeInSmallAndLarge(
  work: string,
  rounds: number,
  sizes: readonly [number, number],
): Promise<number[][]> {
  const ledgers: LedgerStore[] = [];
  for (const size of sizes) {
    const file = join(work, `${size}.db`);
    await (await openLedger(file)).close();
    fill(file, size, plugins);
    ledgers.push(await openLedger(file));
  }
  const taken: number[][] = ledgers.map(() => []);
  try {
    for (let round = -warmUp; round < rounds; round++) {
      for (const [i, ledger] of ledgers.entries()) {
        const events = payloads(100);
        const us = await microseconds(() => live(ledger, events));
        if (round >= 0) taken[i]?.push(us / events.length);
      }
    }
  } finally {
    for (const ledger of ledgers) await ledger.close();
  }
  return taken;
}

/** The same on PostgreSQL, in a flood, one after the other, and their whole life: microseconds for an event. */
async function onServer(ledger: LedgerStore, rounds: number) {
  const taken = { flood: [] as number[], single: [] as number[], life: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    const [many, some, [one]] = [payloads(batch), payloads(100), payloads(1)];
    const flood = await microseconds(() => Promise.all(many.map((event) => ledger.append(event, owes))));
    const single = await microseconds(() => one && ledger.append(one, owes));
    const life = await microseconds(() => live(ledger, some));
    if (round < 0) continue;
    taken.flood.push(flood / batch);
    taken.single.push(single);
    taken.life.push(life / some.length);
  }
  return taken;
}

async function serverRows(rounds: number, sqlite: { flood: number; life: number }): Promise<Row[]> {
  const taken = await onPostgres((ledger) => onServer(ledger, rounds));
  if (taken === undefined) return [];
  const row = (what: string, us: readonly number[], peers: Row['peers'] = {}): Row => {
    return { case: `PostgreSQL: ${what}`, unit: 'µs', ours: median(us), peers };
  };
  return [
    row('append an event that owes 4 deliveries, durably', taken.flood, { SQLite: sqlite.flood }),
    row('append one of them alone', taken.single),
    row('append, find and settle', taken.life, { SQLite: sqlite.life }),
  ];
}

/** What keeping an event for good costs: beside bare inserts of the same rows, and as the ledger grows. */
export async function run({ rounds }: Effort): Promise<Report> {
  const isQuick = rounds < 10;
  const sizes = [1000, isQuick ? 20_000 : 1_000_000] as const;
  const work = mkdtempSync(join(tmpdir(), 'patchbay-bench-'));
  try {
    const { ours, raw } = await appendBesideRaw(work, rounds);
    const [small = [], large = []] = await lifeInSmallAndLarge(work, rounds, sizes);
    const ratio = (a: readonly number[], b: readonly number[]) => median(a.map((us, i) => us / (b[i] ?? Number.NaN)));
    const perSecond = 1e6 / median(ours);
    return {
      bench: 'ledger',
      rows: [
        {
          case: 'append an event that owes 4 deliveries, durably',
          unit: 'µs',
          ours: median(ours),
          peers: { raw: median(raw), ratio: ratio(ours, raw) },
        },
        { case: 'events appended durably', unit: '1/s', ours: perSecond, peers: { raw: 1e6 / median(raw) } },
        {
          case: `append, find and settle in a ledger of ${sizes[1]} events`,
          unit: 'µs',
          ours: median(large),
          peers: { [`of ${sizes[0]}`]: median(small), ratio: ratio(large, small) },
        },
        ...(await serverRows(rounds, { flood: median(ours), life: median(small) })),
      ],
      goals: [
        goal('durable append with 4 subscribers vs bare node:sqlite inserts of the same rows', 2, ratio(ours, raw)),
        goal('microseconds per event appended durably (10,000 a second)', 100, median(ours)),
        goal(`cost of an event in a ledger of ${sizes[1]} vs of ${sizes[0]}`, 1.3, ratio(large, small)),
      ],
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
