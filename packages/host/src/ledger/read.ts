import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { deliveryOf, eventOf, type RunTableRow, runOf, type Tables } from './rows.ts';
import { placeOf } from './statements/place.ts';
import type {
  Delivery,
  DeliveryFilter,
  DeliveryStatus,
  Endpoint,
  EventFilter,
  Extent,
  Failing,
  LedgerStore,
  RunFilter,
  RunRow,
  StoredEvent,
} from './store.ts';

/** A database to be asked, with what is said differently from database to database. */
export interface Queries {
  readonly db: Kysely<Tables>;
  /** Whether the name of the event `e` is one of those that a pattern with `*` means. */
  readonly like: (pattern: string) => RawBuilder<boolean>;
  /** Whether the event `e` was said in this chat, or cleared it. */
  readonly said: (chat: string) => RawBuilder<boolean>;
  /** A column in words that do not decide in which order events are read. */
  readonly apart: (column: 'e.at' | 'e.type') => RawBuilder<string>;
}

const pageSize = 256;
/** Not every database knows a list of none. */
const nothing = sql<boolean>`1 = 0`;
const worstFirst = sql`failures DESC, plugin, handler`;
const bad: ReadonlySet<DeliveryStatus> = new Set(['failed', 'refused']);
const statuses: readonly DeliveryStatus[] = [
  'owed',
  'sending',
  'ok',
  'warn',
  'failed',
  'refused',
  'skipped',
  'cancelled',
];

/** Fetches page after page until one is not full, or as much was given as is wanted. */
async function* paged<T>(wanted: number, page: (size: number, last: T | undefined) => Promise<T[]>): AsyncGenerator<T> {
  let last: T | undefined;
  for (let left = wanted; left > 0; left -= pageSize) {
    const size = Math.min(left, pageSize);
    const items = await page(size, last);
    yield* items;
    last = items.at(-1);
    if (items.length < size) return;
  }
}

/** Of this name, or one of those that a pattern with `*` means? Where `isFound`, another index has found them. */
function named({ like, apart }: Queries, name: string, isFound = false): RawBuilder<boolean> {
  if (name.includes('*')) return like(name);
  return isFound ? sql<boolean>`${apart('e.type')} = ${name}` : sql<boolean>`e.type = ${name}`;
}

function eventQuery(queries: Queries, { run, type, chat, since, until, afterSeq, beforeSeq }: EventFilter) {
  const at = queries.apart('e.at');
  let query = queries.db.selectFrom('events as e');
  if (run !== undefined) query = query.where('e.run_id', '=', run);
  if (chat !== undefined) query = query.where(queries.said(chat));
  if (type !== undefined) query = query.where(named(queries, type, chat !== undefined));
  if (since !== undefined) query = query.where(sql<boolean>`${at} >= ${since.toISOString()}`);
  if (until !== undefined) query = query.where(sql<boolean>`${at} <= ${until.toISOString()}`);
  if (afterSeq !== undefined) query = query.where('e.seq', '>', afterSeq);
  if (beforeSeq !== undefined) query = query.where('e.seq', '<', beforeSeq);
  return query;
}

/**
 * Between which places the events of a time are. The index on time finds that, which then need not decide in which
 * order events are read: they need not have come in the order of their times.
 */
async function placesOf({ db }: Queries, { since, until }: EventFilter): Promise<{ first: number; last: number }> {
  let query = db.selectFrom('events').select(({ fn }) => [fn.min('seq').as('first'), fn.max('seq').as('last')]);
  if (since !== undefined) query = query.where('at', '>=', since.toISOString());
  if (until !== undefined) query = query.where('at', '<=', until.toISOString());
  const { first, last } = await query.executeTakeFirstOrThrow();
  return { first: first ?? 1, last: last ?? 0 };
}

/** The events that a filter wants. */
export async function* readEvents(queries: Queries, filter: EventFilter & Extent): AsyncGenerator<StoredEvent> {
  const { since, until, afterSeq = 0, limit = Number.POSITIVE_INFINITY, newestFirst = false } = filter;
  let query = eventQuery(queries, filter).selectAll();
  // Whoever goes on from a place has done so already.
  if (afterSeq === 0 && (since !== undefined || until !== undefined)) {
    const { first, last } = await placesOf(queries, filter);
    query = query.where('e.seq', '>=', first).where('e.seq', '<=', last);
  }
  const ordered = query.orderBy('e.seq', newestFirst ? 'desc' : 'asc');
  yield* paged<StoredEvent>(limit, async (size, last) => {
    const rest = last === undefined ? ordered : ordered.where('e.seq', newestFirst ? '<' : '>', last.seq);
    return (await rest.limit(size).execute()).map(eventOf);
  });
}

/**
 * Not as parameters, and once more in the words of the index where that holds what is wanted: otherwise the indexes of
 * those that are owed, and of those that ended badly, would not be used.
 */
function inStatus(wanted: readonly DeliveryStatus[]) {
  const names = statuses.filter((one) => wanted.includes(one));
  const [first] = names;
  if (first === undefined) return nothing;
  if (names.length === 1 && !bad.has(first)) return sql<boolean>`d.status = ${sql.lit(first)}`;
  const among = sql<boolean>`d.status IN (${sql.join(names.map((one) => sql.lit(one)))})`;
  return names.every((one) => bad.has(one)) ? sql<boolean>`d.status IN ('failed', 'refused') AND ${among}` : among;
}

type DeliveryQuery = SelectQueryBuilder<
  { d: Tables['deliveries']; e: Tables['events'] },
  'd' | 'e',
  Record<never, never>
>;

function deliveryQuery(queries: Queries, { event, plugin, handler, status, run }: DeliveryFilter): DeliveryQuery {
  let query: DeliveryQuery = queries.db.selectFrom('deliveries as d').innerJoin('events as e', 'e.seq', 'd.seq');
  if (event !== undefined) query = query.where(named(queries, event));
  if (run !== undefined) query = query.where('e.run_id', '=', run);
  if (plugin !== undefined) query = query.where('d.plugin', '=', plugin);
  if (handler !== undefined) query = query.where('d.handler', '=', handler);
  if (status !== undefined) query = query.where(inStatus(status));
  return query;
}

/** The deliveries that a filter wants. */
export async function* readDeliveries(queries: Queries, filter: DeliveryFilter & Extent): AsyncGenerator<Delivery> {
  const { limit = Number.POSITIVE_INFINITY, newestFirst = false, after } = filter;
  const way = newestFirst ? 'desc' : 'asc';
  const start = after === undefined ? undefined : placeOf(after);
  const all = deliveryQuery(queries, filter).selectAll('d').select(['e.id', 'e.type', 'e.run_id']);
  const ordered = all.orderBy('d.seq', way).orderBy('d.n', way);
  yield* paged<Delivery>(limit, async (size, last) => {
    const place = last === undefined ? start : placeOf(last.id);
    const beyond = sql.raw(newestFirst ? '<' : '>');
    const rest =
      place === undefined ? ordered : ordered.where(sql<boolean>`(d.seq, d.n) ${beyond} (${place.seq}, ${place.n})`);
    return (await rest.limit(size).execute()).map((row) => deliveryOf(row, row));
  });
}

/** The runs that a filter wants. */
export async function* readRuns(
  { db }: Queries,
  { status, after, limit = Number.POSITIVE_INFINITY, newestFirst = false }: RunFilter & Extent,
): AsyncGenerator<RunRow> {
  const all = db.selectFrom('runs').selectAll();
  // Not as parameters: see `inStatus`.
  const wanted = status?.map((one) => sql.lit(one));
  const among = wanted?.length === 0 ? nothing : sql<boolean>`status IN (${sql.join(wanted ?? [])})`;
  const some = wanted === undefined ? all : all.where(among);
  const beyond = newestFirst ? '<' : '>';
  const start = db
    .selectFrom('runs')
    .where('run_id', '=', after ?? '')
    .select('n');
  const beginning = after === undefined ? some : some.where('n', beyond, start);
  const ordered = beginning.orderBy('n', newestFirst ? 'desc' : 'asc');
  const rows = paged<RunTableRow>(limit, async (size, last) => {
    const rest = last === undefined ? ordered : ordered.where('n', beyond, last.n);
    return rest.limit(size).execute();
  });
  for await (const row of rows) yield runOf(row);
}

/** See `LedgerStore.event`. */
export async function readEvent({ db }: Queries, id: string): Promise<StoredEvent | undefined> {
  const row = await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : eventOf(row);
}

/** See `LedgerStore.owedPlugins`. */
export function readOwedPlugins({ db }: Queries): ReturnType<LedgerStore['owedPlugins']> {
  const first = sql<string | null>`CASE WHEN count(*) = count(due_at) THEN min(due_at) END`;
  return waitingOf(db, 'owed', first);
}

/** See `LedgerStore.unsentPlugins`. */
export function readUnsentPlugins({ db }: Queries, now: Date): ReturnType<LedgerStore['unsentPlugins']> {
  return waitingOf(db, 'sending', sql<string | null>`min(CASE WHEN due_at > ${now.toISOString()} THEN due_at END)`);
}

function waitingOf(db: Kysely<Tables>, status: 'owed' | 'sending', first: RawBuilder<string | null>) {
  return db
    .selectFrom('deliveries')
    .where('status', '=', sql.lit(status))
    .groupBy('plugin')
    .orderBy('plugin')
    .select(({ fn }) => ['plugin', fn.countAll<number>().as('count'), first.as('due_at')])
    .execute();
}

/** See `LedgerStore.failing`. */
export function readFailing({ db }: Queries): Promise<readonly Failing[]> {
  return db.selectFrom('failing').selectAll().orderBy(worstFirst).execute();
}

/** See `LedgerStore.endpoints`. */
export function readEndpoints({ db }: Queries): Promise<readonly Endpoint[]> {
  return db.selectFrom('endpoints').selectAll().orderBy(worstFirst).execute();
}
