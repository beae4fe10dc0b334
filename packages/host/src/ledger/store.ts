import type { EventName, EventPayload } from 'patchbay-sdk';
import type { RunStatus } from './run-status.ts';

/** The payload of any event. */
export type AnyPayload = EventPayload<EventName>;

/** A handler that is to be called for an event. */
export interface Owed {
  readonly plugin: string;
  readonly handler: string;
  /** Somebody waits for its answer. Default: false. */
  readonly awaited?: boolean;
  /** Not to be tried before, as a text that compares as `StoredEvent.at` does. Default: null, at once. */
  readonly due_at?: string | null;
  /** The version of the plugin that was there when the event happened. Default: null, not known. */
  readonly version?: string | null;
  /** The digest of that plugin's files. Default: null, not known. */
  readonly digest?: string | null;
}

/** An event as it is kept. */
export interface StoredEvent {
  /** Its place: later ones have greater numbers. Numbers are never used again. */
  readonly seq: number;
  readonly id: string;
  readonly type: EventName;
  /** When it happened, to the millisecond, in UTC: comparable as text. */
  readonly at: string;
  readonly run_id: string | null;
  readonly turn_id: string | null;
  readonly role: string | null;
  readonly phase: string | null;
  /** Read from its text when it is first asked for. */
  readonly payload: AnyPayload;
  /** Over the hash of the event before it and everything that is kept of this one. */
  readonly hash: string;
}

/** A run that somebody wants. */
export interface RunRequest {
  readonly run_id: string;
  readonly template: string;
  readonly goal: string;
  /** Whatever the run needs to begin; JSON. */
  readonly [more: string]: unknown;
}

/** A run, as far as its events tell without reading them. */
export interface RunRow {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly template: string | null;
  readonly goal: string | null;
  /** What was requested besides, if it was requested. */
  readonly request: Readonly<Record<string, unknown>> | null;
  /** The place of its last step; 0 before the first. */
  readonly head: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Where a delivery stands. `owed`: its handler is still to be called. `sending`: it was, and asked for a request that has not
 * arrived yet. Only these change by themselves; `replay` makes any other one of these again.
 */
export type DeliveryStatus = 'owed' | 'sending' | 'ok' | 'warn' | 'failed' | 'refused' | 'skipped' | 'cancelled';

/** One handler called, or to be called, for one event. */
export interface Delivery {
  /** `SEQ.N`: short enough to type. */
  readonly id: string;
  /** `EVENT_ID.N`: the idempotency key, the same however often it is tried or replayed. */
  readonly key: string;
  readonly event_id: string;
  readonly event: EventName;
  readonly seq: number;
  readonly run_id: string | null;
  readonly plugin: string;
  readonly handler: string;
  readonly awaited: boolean;
  readonly status: DeliveryStatus;
  /** How often it was tried since it was owed, or last replayed; for one with a request, how often that was sent. */
  readonly attempts: number;
  /** Not to be tried before; null: at once. */
  readonly due_at: string | null;
  readonly settled_at: string | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly http_status: number | null;
  readonly verdict: string | null;
  readonly message: string | null;
  readonly annotations: Readonly<Record<string, unknown>> | null;
  readonly duration_ms: number | null;
  readonly plugin_version: string | null;
  readonly plugin_digest: string | null;
  /** What its handler asked to be sent, as the sender keeps it: secrets are named, not told. Null if nothing. */
  readonly request: KeptRequest | null;
  /** When that was asked for, or last replayed. */
  readonly asked_at: string | null;
}

/** A request as it is kept: JSON. */
export type KeptRequest = Readonly<Record<string, unknown>>;

/** What became of a delivery. What is not given is null; `attempts` stays as it is. */
export interface Settlement {
  readonly status: Exclude<DeliveryStatus, 'owed'>;
  readonly attempts?: number;
  readonly exit_code?: number | null;
  readonly signal?: string | null;
  readonly http_status?: number | null;
  readonly verdict?: string | null;
  readonly message?: string | null;
  /** Kept as JSON; what cannot be is replaced by an `error` that says so. */
  readonly annotations?: Readonly<Record<string, unknown>> | null;
  readonly duration_ms?: number | null;
  /** What is to be sent: with the status `sending`, and only with that. */
  readonly request?: KeptRequest | null;
}

/** A delivery, by its id, and what became of it. */
export interface Ended {
  readonly id: string;
  readonly settlement: Settlement;
}

/** How the last attempt to send a request ended. What is not given is null. */
export interface Sent {
  /** Of all attempts since it was asked for, or last replayed. */
  readonly attempts: number;
  readonly http_status?: number | null;
  readonly message?: string | null;
  readonly duration_ms?: number | null;
}

/** Which events are wanted: those to which all of it applies. */
export interface EventFilter {
  readonly run?: string;
  /** A name, or several with `*` for any text: `turn:*`. */
  readonly type?: string;
  /** Only what was said in this chat, and that it was cleared. */
  readonly chat?: string;
  /** At this time or later. */
  readonly since?: Date;
  /** At this time or before. */
  readonly until?: Date;
  /** Only after this place. */
  readonly afterSeq?: number;
  /** Only before this place. */
  readonly beforeSeq?: number;
}

/** How much of what was asked for is wanted, and from which end. */
export interface Extent {
  /** Default: all. */
  readonly limit?: number;
  /** Default: the oldest first. */
  readonly newestFirst?: boolean;
}

/** Which runs are wanted: those to which all of it applies. */
export interface RunFilter {
  /** Any of these. */
  readonly status?: readonly RunStatus[];
  /** Only those that come after this run, by its id, in the order that is wanted; none if there is no such run. */
  readonly after?: string;
}

/** Which deliveries are wanted: those to which all of it applies. */
export interface DeliveryFilter {
  /** A name, or several with `*` for any text: `turn:*`. */
  readonly event?: string;
  readonly plugin?: string;
  readonly handler?: string;
  /** Any of these. */
  readonly status?: readonly DeliveryStatus[];
  readonly run?: string;
  /** Only those that come after this delivery, by its id, in the order that is wanted. Throws `DELIVERY_UNKNOWN`. */
  readonly after?: string;
}

/** How an event is appended. */
export interface AppendOptions {
  /** The last step of its run: its place, or its id if it was asked for before and may not be written yet. Default: whichever that is. */
  readonly after?: number | string;
  /**
   * The caller has made the payload of parts that are known to fit, and is believed: for what comes by the thousand. Default:
   * false, its schema is asked.
   */
  readonly isChecked?: boolean;
}

/** An event that is durable now, with what it owes. */
export interface Appended {
  readonly event: StoredEvent;
  readonly deliveries: readonly Delivery[];
  /** It was there before; nothing was changed. */
  readonly known: boolean;
}

/** A handler whose last deliveries all failed. */
export interface Failing {
  readonly plugin: string;
  readonly handler: string;
  /** How many failed since one last came to an answer. */
  readonly failures: number;
  /** When the last one failed. */
  readonly last: string;
  readonly message: string | null;
}

/** Where a handler has its requests sent, as far as they did not arrive. */
export interface Endpoint {
  readonly plugin: string;
  readonly handler: string;
  /** How many were given up since one last arrived. */
  readonly failures: number;
  /** When the last one was given up. */
  readonly last: string;
  readonly message: string | null;
  /** Since when nothing is sent there; null: it still is. */
  readonly disabled_at: string | null;
}

/** Whether the chain of hashes holds. */
export interface Verified {
  readonly ok: boolean;
  /** How many events were found good. */
  readonly events: number;
  /** The hash of the last event: whoever keeps it elsewhere can prove that nothing before it was changed. */
  readonly head: string | null;
  /** The place of the first event that is not as it was appended. */
  readonly broken_at?: number;
  /** What is wrong there, for people. */
  readonly reason?: string;
}

/** What another process has changed, in short. */
export interface Elsewhere {
  /** The types of the events that it has appended. */
  readonly types: readonly EventName[];
  /** The runs that they are of. */
  readonly runs: readonly string[];
  /** Whether anything is owed for them, or something has become of what was owed. */
  readonly deliveries: boolean;
  /** Whether runs may have been asked for. */
  readonly requests: boolean;
}

/** What can be heard of a ledger. All of it has been made durable before it is told. */
export interface LedgerNews {
  /** An event was appended in this process. */
  appended: Appended;
  /** A run was asked for in this process, by its id. */
  requested: string;
  /** What became of a delivery, by `settle`, `sent` or `postpone` in this process. */
  settled: Delivery;
  /** A delivery is owed again: `replay` was called in this process. */
  replayed: Delivery;
  /** A plugin has a request to be sent: by `settle` or `replay` in this process. */
  unsent: string;
  /** What is noted under this key was changed, by `setNote` in this process. */
  noted: string;
  /** Another process has changed something: what it says, or, where nobody said it, anything. */
  elsewhere: Elsewhere | undefined;
}

/**
 * The record of all events and of the deliveries they owe. Everything that changes it resolves when the change is
 * durable, in the order in which it was asked for; whoever reads after that sees it.
 *
 * Throws `LEDGER_WRITE` where the storage fails (nothing was changed, unless the hint says that this is not known; later
 * calls may work again) and `LEDGER_CORRUPT` where it does not hold what it should; other codes where they are named.
 */
export interface LedgerStore {
  /**
   * Makes an event durable together with the deliveries it owes, all or nothing. An id that is there already changes
   * nothing and gives what is kept. With `after`, only if that is the last step of its run: otherwise
   * throws `RUN_MOVED`. Throws `EVENT_INVALID` if the payload does not fit the schema of its event.
   */
  append(payload: AnyPayload, owes?: readonly Owed[], options?: AppendOptions): Promise<Appended>;
  /** Writes down that a run is wanted: it is pending. One of that id that is there already stays as it is. */
  requestRun(request: RunRequest): Promise<boolean>;
  /** The run of an id. */
  run(id: string): Promise<RunRow | undefined>;
  /** Runs in the order in which they were begun, read in pages. */
  runs(filter?: RunFilter & Extent): AsyncIterable<RunRow>;
  /** The event of an id. */
  event(id: string): Promise<StoredEvent | undefined>;
  /** Events, read in pages: memory does not grow with their number. What comes while it is read may be left out. */
  events(filter?: EventFilter & Extent): AsyncIterable<StoredEvent>;
  /** The events that are there and then those that come, from other processes too, until the signal or `close`. */
  follow(filter: EventFilter, signal: AbortSignal): AsyncIterable<StoredEvent>;
  /** What a plugin is owed and due by now, in the order of events; `after` is the id of a delivery. */
  owed(
    plugin: string,
    options: { readonly limit: number; readonly after?: string },
  ): Promise<readonly { readonly delivery: Delivery; readonly event: StoredEvent }[]>;
  /** The delivery of an id. Throws `DELIVERY_UNKNOWN`. */
  delivery(id: string): Promise<Delivery>;
  /** Which deliveries of the same event come before this one and are still owed. */
  ahead(id: string): Promise<readonly { readonly id: string; readonly plugin: string }[]>;
  /** Who is owed how much, and when the first of it is due: null if at once. */
  owedPlugins(): Promise<
    readonly { readonly plugin: string; readonly count: number; readonly due_at: string | null }[]
  >;
  /**
   * What came of calling its handler: the end of a delivery, or a request that is to be sent. One that is not owed stays as
   * it is, and the answer is false. Throws `DELIVERY_UNKNOWN`.
   */
  settle(id: string, settlement: Settlement): Promise<boolean>;
  /**
   * The same of many, all or nothing. Those that are not owed, or are not there, stay as they are. Throws `DELIVERY_UNKNOWN`
   * only for what is no id at all.
   */
  settleAll(ended: readonly Ended[]): Promise<void>;
  /**
   * The requests of a plugin that are to be sent: those that never were, in the order of events, or those that are to be
   * sent again by `now`, the one that is due longest first.
   */
  unsent(
    plugin: string,
    which: 'first' | 'again',
    options: { readonly limit: number; readonly now: Date },
  ): Promise<readonly { readonly delivery: Delivery; readonly event: StoredEvent }[]>;
  /** Who has how many requests to be sent, and when the first of those is due that are not due at `now`: null if none. */
  unsentPlugins(now: Date): ReturnType<LedgerStore['owedPlugins']>;
  /** Sent, not arrived, and to be sent again at `dueAt`. One that is not being sent stays. Throws `DELIVERY_UNKNOWN`. */
  postpone(id: string, sent: Sent, dueAt: Date): Promise<boolean>;
  /**
   * Ends a delivery whose request has arrived, or was given up. With `disableAfter`, one that was given up counts against
   * its endpoint, which is disabled at that number. One that is not being sent stays as it is, and the answer is false.
   * Throws `DELIVERY_UNKNOWN`.
   */
  sent(
    id: string,
    sent: Sent & { readonly status: 'ok' | 'warn' | 'failed' },
    disableAfter?: number | null,
  ): Promise<boolean>;
  /**
   * To be made again, at once, whatever came of it before: sent, if it has a request, and its endpoint gets another chance;
   * otherwise, or with `evaluate`, owed. Throws `DELIVERY_UNKNOWN`.
   */
  replay(id: string, options?: { readonly evaluate?: boolean }): Promise<Delivery>;
  /**
   * Has one caller of several try a delivery: if it stands as the caller knows it, owed or ended, it is owed, and due at
   * `until`, before which `owed` gives it to nobody. Whoever has it so may call this again, to have it for longer. The answer is
   * false, and nothing is changed, if it stands otherwise, or is not there.
   */
  lease(known: Pick<Delivery, 'id' | 'status' | 'due_at'>, until: Date): Promise<boolean>;
  /** Cancels all that a plugin is owed, and forgets that its handlers were failing. Gives how many it was. */
  cancel(plugin: string, reason: string): Promise<number>;
  /** The endpoints to which the last requests did not arrive, most failures first. */
  endpoints(): Promise<readonly Endpoint[]>;
  /** Lets requests be sent again to all endpoints of a plugin. Gives how many were disabled. */
  revive(plugin: string): Promise<number>;
  /** Deliveries in the order of events, read in pages. */
  deliveries(filter?: DeliveryFilter & Extent): AsyncIterable<Delivery>;
  /** The handlers whose last deliveries failed, most failures first. Skipped and cancelled ones do not count. */
  failing(): Promise<readonly Failing[]>;
  /** What is noted of the project as a whole and is no event, under a key; undefined if nothing is. */
  note(key: string): Promise<unknown>;
  /** The notes whose keys begin so, by key, in their order. */
  notes(prefix: string): Promise<ReadonlyMap<string, unknown>>;
  /** Notes something, JSON, in place of what was noted under this key; undefined: nothing any more. */
  setNote(key: string, value: unknown): Promise<void>;
  /** Recomputes the chain of hashes. Finding it broken is an answer, not an error. */
  verify(): Promise<Verified>;
  /**
   * Removes events from before a time, with their deliveries: the oldest ones, up to the first that is younger or
   * still owes or sends something. The chain can be verified as before.
   */
  prune(olderThan: Date): Promise<{ readonly events: number }>;
  /** Hears of changes, as they become durable. Gives the undo. What `hear` throws is uncaught, and harms nobody else. */
  on<N extends keyof LedgerNews>(what: N, hear: (news: LedgerNews[N]) => void): () => void;
  /** Makes durable what was asked for, ends those who follow, and lets go of the file. May be called twice. */
  close(): Promise<void>;
}
