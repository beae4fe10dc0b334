import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { messageOf } from 'patchbay-sdk';
import { type Draft, draftOf } from '../draft.ts';
import { follow } from '../follow.ts';
import type { RunStatus } from '../run-status.ts';
import type {
  AnyPayload,
  Appended,
  Delivery,
  DeliveryFilter,
  EventFilter,
  Extent,
  LedgerNews,
  LedgerStore,
  Owed,
  RunRequest,
  RunRow,
  Settlement,
  StoredEvent,
} from '../store.ts';
import { appending } from './append.ts';
import { Head, verifyChain } from './chain.ts';
import { DeliveryStatements, placeOf } from './deliveries.ts';
import { fault } from './fault.ts';
import { openFile, openReader } from './file.ts';
import { News } from './news.ts';
import { pruning } from './prune.ts';
import { readDeliveries, readEvent, readEvents, readFailing, readOwedPlugins, readRuns } from './read.ts';
import { RunStatements } from './runs.ts';
import { queriesOn, type Tables } from './tables.ts';
import { Writer } from './writer.ts';

/**
 * Opens the ledger in a file, `<project>/.patchbay/ledger.db`, which is made if there is none. Several processes may
 * have it open. Throws `LEDGER_CORRUPT`, `LEDGER_NEWER` if a later Patchbay has written it, and `LEDGER_WRITE`.
 */
export async function openLedger(file: string): Promise<LedgerStore> {
  try {
    return new SqliteLedger(openFile(file), file);
  } catch (error) {
    throw fault(error, file, 'opened');
  }
}

class SqliteLedger implements LedgerStore {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #queries: Kysely<Tables>;
  readonly #writer: Writer;
  readonly #append;
  readonly #runs;
  readonly #deliveries;
  readonly #prune;
  readonly #news;
  readonly #closing = new AbortController();

  constructor(db: DatabaseSync, file: string) {
    const head = new Head(db);
    this.#db = db;
    this.#file = file;
    this.#queries = queriesOn(db);
    this.#writer = new Writer(db, file, head);
    this.#runs = new RunStatements(db);
    this.#append = appending(db, head, this.#runs);
    this.#deliveries = new DeliveryStatements(db);
    this.#prune = pruning(db);
    this.#news = new News(db);
  }

  append(
    payload: AnyPayload,
    owes: readonly Owed[] = [],
    { after }: { readonly after?: number } = {},
  ): Promise<Appended> {
    let draft: Draft;
    // Not an async function: that would be one promise more for each event.
    try {
      this.#mustBeOpen();
      draft = draftOf(payload);
    } catch (error) {
      return Promise.reject(error);
    }
    const told = (appended: Appended) => {
      if (!appended.known) this.#news.tell('appended', appended);
    };
    return this.#writer.write(() => this.#append(draft, owes, after), { told, characters: draft.payload.length });
  }

  requestRun(request: RunRequest): Promise<boolean> {
    const now = new Date().toISOString();
    return this.#writing(() => this.#writer.write(() => this.#runs.request(request, now)));
  }

  run(id: string): Promise<RunRow | undefined> {
    return this.#reading(() => this.#runs.read(id));
  }

  runs(filter: { readonly status?: readonly RunStatus[] } & Extent = {}): AsyncIterable<RunRow> {
    return this.#readingEach(() => readRuns(this.#queries, filter));
  }

  event(id: string): Promise<StoredEvent | undefined> {
    return this.#reading(() => readEvent(this.#queries, id));
  }

  events(filter: EventFilter & Extent = {}): AsyncIterable<StoredEvent> {
    return this.#readingEach(() => readEvents(this.#queries, filter));
  }

  follow(filter: EventFilter, signal: AbortSignal): AsyncIterable<StoredEvent> {
    return follow(this, filter, AbortSignal.any([signal, this.#closing.signal]));
  }

  owed(plugin: string, { limit, after }: { limit: number; after?: string }): ReturnType<LedgerStore['owed']> {
    return this.#reading(() => {
      const place = after === undefined ? { seq: 0, n: 0 } : placeOf(after);
      return this.#deliveries.owed(plugin, place, new Date().toISOString(), limit);
    });
  }

  delivery(id: string): Promise<Delivery> {
    return this.#reading(() => this.#deliveries.read(placeOf(id)));
  }

  ahead(id: string): ReturnType<LedgerStore['ahead']> {
    return this.#reading(() => this.#deliveries.ahead(placeOf(id)));
  }

  owedPlugins(): ReturnType<LedgerStore['owedPlugins']> {
    return this.#reading(() => readOwedPlugins(this.#queries));
  }

  settle(id: string, settlement: Settlement): Promise<boolean> {
    return this.#writing(() => {
      const place = placeOf(id);
      const annotations = jsonOf(settlement.annotations);
      let settled: Delivery | undefined;
      const act = () => {
        const wasOwed = this.#deliveries.settle(place, settlement, annotations);
        settled = wasOwed && this.#news.wanted('settled') ? this.#deliveries.read(place) : undefined;
        return wasOwed;
      };
      return this.#writer.write(act, { told: () => settled && this.#news.tell('settled', settled) });
    });
  }

  postpone(id: string, attempts: number, dueAt: Date): Promise<boolean> {
    return this.#writing(() => {
      const [place, due] = [placeOf(id), dueAt.toISOString()];
      return this.#writer.write(() => this.#deliveries.postpone(place, attempts, due));
    });
  }

  replay(id: string): Promise<Delivery> {
    return this.#writing(() => {
      const place = placeOf(id);
      const told = (delivery: Delivery) => this.#news.tell('replayed', delivery);
      return this.#writer.write(() => this.#deliveries.replay(place), { told });
    });
  }

  cancel(plugin: string, reason: string): Promise<number> {
    return this.#writing(() => this.#writer.write(() => this.#deliveries.cancel(plugin, reason)));
  }

  deliveries(filter: DeliveryFilter & Extent = {}): AsyncIterable<Delivery> {
    return this.#readingEach(() => readDeliveries(this.#queries, filter));
  }

  failing(): ReturnType<LedgerStore['failing']> {
    return this.#reading(() => readFailing(this.#queries));
  }

  verify(): ReturnType<LedgerStore['verify']> {
    return this.#reading(async () => {
      const reader = openReader(this.#file);
      try {
        return await verifyChain(reader);
      } finally {
        reader.close();
      }
    });
  }

  async prune(olderThan: Date): Promise<{ events: number }> {
    const time = olderThan.toISOString();
    let events = 0;
    for (let gone = -1; gone !== 0; events += gone) {
      gone = await this.#writing(() => this.#writer.write(() => this.#prune(time)));
    }
    return { events };
  }

  on<N extends keyof LedgerNews>(what: N, hear: (news: LedgerNews[N]) => void): () => void {
    this.#mustBeOpen();
    return this.#news.on(what, hear);
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    this.#closing.abort();
    this.#writer.flush();
    this.#news.stop();
    this.#db.close();
  }

  async #writing<T>(act: () => Promise<T>): Promise<T> {
    this.#mustBeOpen();
    try {
      return await act();
    } catch (error) {
      throw fault(error, this.#file, 'written');
    }
  }

  async #reading<T>(act: () => T | Promise<T>): Promise<T> {
    this.#mustBeOpen();
    try {
      return await act();
    } catch (error) {
      throw fault(error, this.#file, 'read');
    }
  }

  async *#readingEach<T>(act: () => AsyncIterable<T>): AsyncGenerator<T> {
    this.#mustBeOpen();
    try {
      yield* act();
    } catch (error) {
      throw fault(error, this.#file, 'read');
    }
  }

  #mustBeOpen(): void {
    if (!this.#db.isOpen) throw fault(new Error('it is closed'), this.#file, 'used');
  }
}

/** What is said of a delivery must not keep it from being settled: it was made. */
function jsonOf(annotations: Settlement['annotations']): string | null {
  if (annotations == null) return null;
  try {
    return JSON.stringify(annotations) ?? null;
  } catch (error) {
    return JSON.stringify({ error: `cannot be written as JSON: ${messageOf(error)}` });
  }
}
