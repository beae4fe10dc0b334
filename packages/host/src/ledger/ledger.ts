import { draftOf } from './draft.ts';
import { Ending, writeEndings } from './ending.ts';
import { follow } from './follow.ts';
import { News } from './news.ts';
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
import {
  cancelDeliveries,
  leaseDelivery,
  readAhead,
  readDelivery,
  readOwed,
  readPlugin,
  replayDelivery,
} from './statements/deliveries.ts';
import { readNote, readNotes, writeNote } from './statements/notes.ts';
import { type Place, placeOf } from './statements/place.ts';
import { pruneSome } from './statements/prune.ts';
import { endRequest, postponeRequest, readUnsent, replayRequest, reviveEndpoints } from './statements/requests.ts';
import { readRun, requestRun } from './statements/runs.ts';
import type { Steps } from './statements/steps.ts';
import type { Storage } from './storage.ts';
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
} from './store.ts';

/** The ledger, wherever it is kept. */
export class Ledger implements LedgerStore {
  readonly #storage: Storage;
  readonly #news: News;
  readonly #closing = new AbortController();
  readonly #told = (appended: Appended) => {
    if (!appended.known) this.#news.tell('appended', appended);
  };
  #closed: Promise<void> | undefined;

  /** The storage is the ledger's from now on. */
  constructor(storage: Storage) {
    this.#storage = storage;
    this.#news = new News((hear) => storage.watch(hear));
  }

  append(
    payload: AnyPayload,
    owes: readonly Owed[] = [],
    { after, isChecked = false }: AppendOptions = {},
  ): Promise<Appended> {
    return this.#writing(() => this.#storage.append({ draft: draftOf(payload, isChecked), owes, after }, this.#told));
  }

  requestRun(request: RunRequest): Promise<boolean> {
    const now = new Date().toISOString();
    const told = (isNew: boolean) => {
      if (isNew) this.#news.tell('requested', request.run_id);
    };
    return this.#writing(() => this.#storage.write(() => requestRun(request, now), { told, alone: true }));
  }

  run(id: string): Promise<RunRow | undefined> {
    return this.#asking(() => readRun(id));
  }

  runs(filter: RunFilter & Extent = {}): AsyncIterable<RunRow> {
    return this.#readingEach(() => readRuns(this.#storage.queries, filter));
  }

  event(id: string): Promise<StoredEvent | undefined> {
    return this.#reading(() => readEvent(this.#storage.queries, id));
  }

  events(filter: EventFilter & Extent = {}): AsyncIterable<StoredEvent> {
    return this.#readingEach(() => readEvents(this.#storage.queries, filter));
  }

  follow(filter: EventFilter, signal: AbortSignal): AsyncIterable<StoredEvent> {
    return follow(this, filter, AbortSignal.any([signal, this.#closing.signal]));
  }

  owed(plugin: string, { limit, after }: { limit: number; after?: string }): ReturnType<LedgerStore['owed']> {
    return this.#asking(() => {
      const place = after === undefined ? { seq: 0, n: 0 } : placeOf(after);
      return readOwed(plugin, place, new Date().toISOString(), limit);
    });
  }

  delivery(id: string): Promise<Delivery> {
    return this.#asking(() => readDelivery(placeOf(id)));
  }

  ahead(id: string): ReturnType<LedgerStore['ahead']> {
    return this.#asking(() => readAhead(placeOf(id)));
  }

  owedPlugins(): ReturnType<LedgerStore['owedPlugins']> {
    return this.#reading(() => readOwedPlugins(this.#storage.queries));
  }

  unsent(
    plugin: string,
    which: 'first' | 'again',
    { limit, now }: { limit: number; now: Date },
  ): ReturnType<LedgerStore['unsent']> {
    return this.#asking(() => readUnsent(plugin, which, now.toISOString(), limit));
  }

  unsentPlugins(now: Date): ReturnType<LedgerStore['unsentPlugins']> {
    return this.#reading(() => readUnsentPlugins(this.#storage.queries, now));
  }

  settle(id: string, settlement: Settlement): Promise<boolean> {
    return this.#writing(() => {
      const [news, ending] = [this.#news, new Ending(id, settlement)];
      const change = function* (): Steps<boolean> {
        const [isSettled = false] = yield* writeEndings([ending], news);
        if (!isSettled) yield* readPlugin(ending.place);
        return isSettled;
      };
      const told = () => ending.tell(news);
      return this.#storage.write(change, { told, characters: ending.characters, about: ending.place });
    });
  }

  settleAll(ended: readonly Ended[]): Promise<void> {
    return this.#writing(() => {
      const news = this.#news;
      const endings = ended.map(({ id, settlement }) => new Ending(id, settlement));
      const change = function* (): Steps<void> {
        yield* writeEndings(endings, news);
      };
      const told = () => {
        for (const ending of endings) ending.tell(news);
      };
      const characters = endings.reduce((sum, ending) => sum + ending.characters, 0);
      return this.#storage.write(change, { told, characters });
    });
  }

  postpone(id: string, sent: Sent, dueAt: Date): Promise<boolean> {
    return this.#writing(() => {
      const [place, due] = [placeOf(id), dueAt.toISOString()];
      return this.#become(place, () => postponeRequest(place, sent, due));
    });
  }

  sent(
    id: string,
    sent: Sent & { readonly status: 'ok' | 'warn' | 'failed' },
    disableAfter: number | null = null,
  ): Promise<boolean> {
    return this.#writing(() => {
      const place = placeOf(id);
      return this.#become(place, () => endRequest(place, sent, disableAfter));
    });
  }

  replay(id: string, { evaluate = false }: { readonly evaluate?: boolean } = {}): Promise<Delivery> {
    return this.#writing(() => {
      const place = placeOf(id);
      const told = (delivery: Delivery) => {
        if (delivery.status === 'sending') this.#news.tell('unsent', delivery.plugin);
        else this.#news.tell('replayed', delivery);
      };
      const change = function* (): Steps<Delivery> {
        return (evaluate ? undefined : yield* replayRequest(place)) ?? (yield* replayDelivery(place));
      };
      // What is owed again may not be pruned meanwhile.
      return this.#storage.write(change, { told, alone: true });
    });
  }

  lease(known: Parameters<LedgerStore['lease']>[0], until: Date): Promise<boolean> {
    return this.#writing(() => {
      const place = placeOf(known.id);
      // What is owed again may not be pruned meanwhile.
      return this.#storage.write(() => leaseDelivery(place, known, until.toISOString()), { alone: true });
    });
  }

  cancel(plugin: string, reason: string): Promise<number> {
    const change = function* (): Steps<number> {
      yield* reviveEndpoints(plugin);
      return yield* cancelDeliveries(plugin, reason);
    };
    return this.#writing(() => this.#storage.write(change));
  }

  endpoints(): ReturnType<LedgerStore['endpoints']> {
    return this.#reading(() => readEndpoints(this.#storage.queries));
  }

  revive(plugin: string): Promise<number> {
    return this.#writing(() => this.#storage.write(() => reviveEndpoints(plugin)));
  }

  deliveries(filter: DeliveryFilter & Extent = {}): AsyncIterable<Delivery> {
    return this.#readingEach(() => readDeliveries(this.#storage.queries, filter));
  }

  failing(): ReturnType<LedgerStore['failing']> {
    return this.#reading(() => readFailing(this.#storage.queries));
  }

  note(key: string): Promise<unknown> {
    return this.#asking(() => readNote(key));
  }

  notes(prefix: string): ReturnType<LedgerStore['notes']> {
    return this.#asking(() => readNotes(prefix));
  }

  setNote(key: string, value: unknown): Promise<void> {
    return this.#writing(() => {
      const json: string | undefined = JSON.stringify(value);
      const told = () => this.#news.tell('noted', key);
      return this.#storage.write(() => writeNote(key, json), { told, characters: json?.length ?? 0 });
    });
  }

  verify(): ReturnType<LedgerStore['verify']> {
    return this.#reading(() => this.#storage.verify());
  }

  async prune(olderThan: Date): Promise<{ events: number }> {
    const time = olderThan.toISOString();
    let events = 0;
    for (let gone = -1; gone !== 0; events += gone) {
      gone = await this.#writing(() => this.#storage.write(() => pruneSome(time), { alone: true }));
    }
    return { events };
  }

  on<N extends keyof LedgerNews>(what: N, hear: (news: LedgerNews[N]) => void): () => void {
    this.#mustBeOpen();
    return this.#news.on(what, hear);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#storage.flush();
    this.#news.stop();
    await this.#storage.close();
  }

  /** Writes what becomes of a delivery, if anything does, and tells it to who wants to hear. */
  #become(place: Place, write: () => Steps<boolean>): Promise<boolean> {
    const news = this.#news;
    let settled: Delivery | undefined;
    const change = function* (): Steps<boolean> {
      const hasChanged = yield* write();
      settled = hasChanged && news.wanted('settled') ? yield* readDelivery(place) : undefined;
      return hasChanged;
    };
    const told = () => {
      if (settled !== undefined) news.tell('settled', settled);
    };
    return this.#storage.write(change, { told, about: place });
  }

  /** Not an async function: that would be two promises more for each change. What the storage rejects with has a name. */
  #writing<T>(act: () => Promise<T>): Promise<T> {
    try {
      this.#mustBeOpen();
      return act();
    } catch (error) {
      return Promise.reject(this.#storage.fault(error, 'written'));
    }
  }

  async #reading<T>(act: () => T | Promise<T>): Promise<T> {
    this.#mustBeOpen();
    try {
      return await act();
    } catch (error) {
      throw this.#storage.fault(error, 'read');
    }
  }

  #asking<T>(steps: () => Steps<T>): Promise<T> {
    return this.#reading(() => this.#storage.ask(steps()));
  }

  async *#readingEach<T>(act: () => AsyncIterable<T>): AsyncGenerator<T> {
    this.#mustBeOpen();
    try {
      yield* act();
    } catch (error) {
      throw this.#storage.fault(error, 'read');
    }
  }

  #mustBeOpen(): void {
    if (this.#closed !== undefined) throw this.#storage.fault(new Error('it is closed'), 'used');
  }
}
