import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { draftOf } from '../draft.ts';
import { follow } from '../follow.ts';
import type {
  AnyPayload,
  Appended,
  AppendOptions,
  Delivery,
  DeliveryFilter,
  Ended,
  EventFilter,
  Extent,
  LedgerNews,
  LedgerStore,
  Owed,
  RunFilter,
  RunRequest,
  RunRow,
  Sent,
  Settlement,
  StoredEvent,
} from '../store.ts';
import { appending } from './append.ts';
import { Head, verifyChain } from './chain.ts';
import { DeliveryStatements, type Place, placeOf } from './deliveries.ts';
import { Ending } from './ending.ts';
import { fault } from './fault.ts';
import { openFile, openReader } from './file.ts';
import { News } from './news.ts';
import { pruning } from './prune.ts';
import {
  readDeliveries,
  readEndpoints,
  readEvent,
  readEvents,
  readFailing,
  readOwedPlugins,
  readRuns,
  readUnsentPlugins,
} from './read.ts';
import { RequestStatements } from './requests.ts';
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
  readonly #requests;
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
    this.#requests = new RequestStatements(db, this.#deliveries);
    this.#prune = pruning(db);
    this.#news = new News(db);
  }

  append(
    payload: AnyPayload,
    owes: readonly Owed[] = [],
    { after, isChecked = false }: AppendOptions = {},
  ): Promise<Appended> {
    return this.#writing(() => {
      const draft = draftOf(payload, isChecked);
      const told = (appended: Appended) => {
        if (!appended.known) this.#news.tell('appended', appended);
      };
      return this.#writer.write(() => this.#append(draft, owes, after), { told, characters: draft.payload.length });
    });
  }

  requestRun(request: RunRequest): Promise<boolean> {
    const now = new Date().toISOString();
    const told = (isNew: boolean) => {
      if (isNew) this.#news.tell('requested', request.run_id);
    };
    return this.#writing(() => this.#writer.write(() => this.#runs.request(request, now), { told }));
  }

  run(id: string): Promise<RunRow | undefined> {
    return this.#reading(() => this.#runs.read(id));
  }

  runs(filter: RunFilter & Extent = {}): AsyncIterable<RunRow> {
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

  unsent(
    plugin: string,
    which: 'first' | 'again',
    { limit, now }: { limit: number; now: Date },
  ): ReturnType<LedgerStore['unsent']> {
    return this.#reading(() => this.#requests.unsent(plugin, which, now.toISOString(), limit));
  }

  unsentPlugins(now: Date): ReturnType<LedgerStore['unsentPlugins']> {
    return this.#reading(() => readUnsentPlugins(this.#queries, now));
  }

  settle(id: string, settlement: Settlement): Promise<boolean> {
    return this.#writing(() => {
      const ending = new Ending(id, settlement);
      const act = () => {
        const isSettled = ending.write(this.#deliveries, this.#news, new Date().toISOString());
        if (!isSettled) this.#deliveries.pluginOf(ending.place);
        return isSettled;
      };
      return this.#writer.write(act, { told: () => ending.tell(this.#news), characters: ending.characters });
    });
  }

  settleAll(ended: readonly Ended[]): Promise<void> {
    return this.#writing(() => {
      const endings = ended.map(({ id, settlement }) => new Ending(id, settlement));
      const act = () => {
        const now = new Date().toISOString();
        for (const ending of endings) ending.write(this.#deliveries, this.#news, now);
      };
      const told = () => {
        for (const ending of endings) ending.tell(this.#news);
      };
      const characters = endings.reduce((sum, ending) => sum + ending.characters, 0);
      return this.#writer.write(act, { told, characters });
    });
  }

  postpone(id: string, sent: Sent, dueAt: Date): Promise<boolean> {
    return this.#writing(() => {
      const [place, due] = [placeOf(id), dueAt.toISOString()];
      return this.#become(place, () => this.#requests.postpone(place, sent, due));
    });
  }

  sent(
    id: string,
    sent: Sent & { readonly status: 'ok' | 'warn' | 'failed' },
    disableAfter: number | null = null,
  ): Promise<boolean> {
    return this.#writing(() => {
      const place = placeOf(id);
      return this.#become(place, () => this.#requests.end(place, sent, disableAfter));
    });
  }

  replay(id: string, { evaluate = false }: { readonly evaluate?: boolean } = {}): Promise<Delivery> {
    return this.#writing(() => {
      const place = placeOf(id);
      const told = (delivery: Delivery) => {
        if (delivery.status === 'sending') this.#news.tell('unsent', delivery.plugin);
        else this.#news.tell('replayed', delivery);
      };
      const act = () => (evaluate ? undefined : this.#requests.replay(place)) ?? this.#deliveries.replay(place);
      return this.#writer.write(act, { told });
    });
  }

  cancel(plugin: string, reason: string): Promise<number> {
    const act = () => {
      this.#requests.revive(plugin);
      return this.#deliveries.cancel(plugin, reason);
    };
    return this.#writing(() => this.#writer.write(act));
  }

  endpoints(): ReturnType<LedgerStore['endpoints']> {
    return this.#reading(() => readEndpoints(this.#queries));
  }

  revive(plugin: string): Promise<number> {
    return this.#writing(() => this.#writer.write(() => this.#requests.revive(plugin)));
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

  /** Writes what becomes of a delivery, if anything does, and tells it to who wants to hear. */
  #become(place: Place, write: () => boolean): Promise<boolean> {
    let settled: Delivery | undefined;
    const act = () => {
      const hasChanged = write();
      settled = hasChanged && this.#news.wanted('settled') ? this.#deliveries.read(place) : undefined;
      return hasChanged;
    };
    const told = () => {
      if (settled !== undefined) this.#news.tell('settled', settled);
    };
    return this.#writer.write(act, { told });
  }

  /** Not an async function: that would be two promises more for each change. What the writer rejects with has a name. */
  #writing<T>(act: () => Promise<T>): Promise<T> {
    try {
      this.#mustBeOpen();
      return act();
    } catch (error) {
      return Promise.reject(fault(error, this.#file, 'written'));
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
