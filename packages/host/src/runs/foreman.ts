import { setTimeout as sleep } from 'node:timers/promises';
import { PatchbayError } from 'patchbay-sdk';
import { alone, type Peers } from '../hosts/peers.ts';
import { type LedgerStore, openStatuses, type RunRow } from '../ledger/index.ts';
import { isChatRun } from './chat-run.ts';
import { Elsewhere } from './elsewhere.ts';
import { loadRun } from './load.ts';
import type { Rest } from './rest.ts';
import type { Runs } from './runs.ts';
import type { RunState } from './state.ts';
import { type Tried, type Trouble, troubleOf } from './trouble.ts';

/** What a foreman needs of the host. */
export interface ForemanParts {
  readonly ledger: LedgerStore;
  readonly runs: Pick<Runs, 'advance' | 'rest'>;
  /** Those who look after the same runs. @default nobody else does */
  readonly peers?: Peers;
  /** How many runs go on at once. @default 4 */
  readonly atOnce?: number;
  /** Hears of all troubles whenever one comes or goes, and of the one that came. @default nobody does */
  readonly troubled?: (troubles: readonly Trouble[], latest: Trouble | undefined) => void;
  /** How long to leave a run alone that was tried in vain so often. @default twice as long every time, from 1 s to 5 min */
  readonly backoffMs?: (attempts: number) => number;
}

/** How many runs go on at once where nothing is said. */
export const usualAtOnce = 4;
/** How much longer than a look it is not looked again. */
const restPerLook = 3;
/** So long others have to take a run that this host cannot go on with, before that is told. */
const unclaimedMs = 10_000;
/** Who was quicker to take a run has told all others by then. */
const elsewhereMs = 1500;
const longestBackoffMs = 300_000;
/** Longer timers are looked at again in between: Node does not take any time. */
const longestTimerMs = 3_600_000;

/**
 * Carries on all runs of a project as they become ready: those that were asked for, those that a host before left, those on
 * which somebody has decided, those whose time to wait is over. The oldest first, so many at once, never one of them twice.
 * A run that waits takes up two numbers. Runs that answer messages are somebody else's, until they wait.
 */
export class Foreman {
  readonly #parts: ForemanParts;
  readonly #peers: Peers;
  readonly #atOnce: number;
  readonly #busy = new Map<string, Promise<void>>();
  /** Runs that wait: how far they were when they were looked at, and until when nothing can change by itself. */
  readonly #asleep = new Map<string, { readonly head: number; readonly until: number }>();
  readonly #troubles = new Map<string, Tried>();
  /** Runs that only other hosts can go on with. */
  readonly #elsewhere: Elsewhere;
  /** Runs that another host took before this one could: until when to leave them. */
  readonly #left = new Map<string, number>();
  readonly #stopping = new AbortController();
  #unhear: readonly (() => void)[] = [];
  #looking: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ForemanParts) {
    this.#parts = parts;
    this.#atOnce = parts.atOnce ?? usualAtOnce;
    this.#peers = parts.peers ?? alone;
    this.#elsewhere = new Elsewhere(this.#peers.areMany ? unclaimedMs : 0);
  }

  /** Begins to look after the runs. */
  start(): void {
    const { ledger } = this.#parts;
    this.#unhear = [
      ledger.on('requested', (run_id) => !isChatRun(run_id) && this.look()),
      ledger.on('elsewhere', (what) => {
        if (what === undefined || what.requests || what.types.includes('approval:decided')) this.look();
      }),
      this.#peers.onFreed(() => this.look()),
      // The other steps are those of the engines at work here.
      ledger.on('appended', ({ event }) => event.type === 'approval:decided' && this.look()),
    ];
    this.#tell();
    this.look();
  }

  /** The runs that are carried on right now. */
  get busy(): readonly string[] {
    return [...this.#busy.keys()];
  }

  /** The runs that cannot be carried on for now. */
  get troubles(): readonly Trouble[] {
    return [...this.#troubles.values(), ...this.#elsewhere.told];
  }

  /** Tries a run again now that was in trouble. */
  retry(run_id: string): void {
    if (this.#troubles.delete(run_id)) this.#tell();
    this.look();
  }

  /** Sees what can go on. Calls that come while it does are one more look. */
  look(): void {
    this.#again = true;
    this.#looking ??= this.#lookOn();
  }

  /** Stops the work under way, in good order; the next host goes on from there. */
  async close(): Promise<void> {
    for (const off of this.#unhear) off();
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
    await Promise.allSettled(this.#busy.values());
  }

  async #lookOn(): Promise<void> {
    while (this.#again && !this.#stopping.signal.aborted) {
      this.#again = false;
      const begun = performance.now();
      try {
        await this.#lookOnce();
      } catch {
        // The ledger cannot be read now. What is there stays there.
        this.#wakeAt(Date.now() + this.#backoffMs(1));
      }
      // Where very many runs wait, looking must not be all that is done.
      await pause((performance.now() - begun) * restPerLook, this.#stopping.signal);
    }
    // In one go with the last look at whether to look again: nobody can ask in between.
    this.#looking = undefined;
  }

  async #lookOnce(): Promise<void> {
    if (this.#busy.size >= this.#atOnce) return;
    const open = new Set<string>();
    for await (const row of this.#parts.ledger.runs({ status: openStatuses })) {
      if (this.#stopping.signal.aborted) return;
      // As soon as one of them has stopped, it is looked again.
      if (this.#busy.size >= this.#atOnce) return;
      // Those who look after chats carry them on, and leave them to wait here.
      if (isChatRun(row.run_id) && row.status !== 'waiting') continue;
      open.add(row.run_id);
      if (this.#peers.isElsewhere('run', row.run_id)) {
        this.#leave(row.run_id);
        continue;
      }
      if (!this.#busy.has(row.run_id) && (await this.#isReady(row))) this.#carryOn(row.run_id);
    }
    this.#forgetAllBut(open);
    for (const trouble of this.#elsewhere.ripen()) this.#tell(trouble);
    this.#wakeAt(this.#nextTime());
  }

  async #isReady({ run_id, status, head }: RunRow): Promise<boolean> {
    const now = Date.now();
    const trouble = this.#troubles.get(run_id);
    if (trouble !== undefined && Date.parse(trouble.next_at) > now) return false;
    if ((this.#left.get(run_id) ?? 0) > now) return false;
    const known = this.#asleep.get(run_id);
    if (known?.head === head && known.until > now) return false;
    // Who takes a run that it cannot play is in the way of those who can.
    const mayBeOthers = known !== undefined || this.#peers.areMany;
    if (status === 'pending' || (status === 'active' && !mayBeOthers)) return true;
    try {
      const { state } = await loadRun(this.#parts.ledger, run_id);
      const rest = state === undefined ? ({ at: 'work' } as const) : this.#parts.runs.rest(state);
      if (rest.at === 'work') return true;
      this.#sleep(run_id, head, rest);
    } catch (error) {
      this.#failed(run_id, error);
    }
    return false;
  }

  #carryOn(run_id: string): void {
    this.#asleep.delete(run_id);
    const done = this.#parts.runs
      .advance(run_id, this.#stopping.signal)
      .then(
        (state) => this.#stopped(state),
        (error) => this.#failedOrLeft(run_id, error),
      )
      .finally(() => {
        this.#busy.delete(run_id);
        this.look();
      });
    this.#busy.set(run_id, done);
  }

  #stopped(state: RunState): void {
    const { run_id, head } = state;
    const rest = this.#parts.runs.rest(state);
    // Otherwise it would be carried on at once, and again, for ever.
    if (rest.at === 'elsewhere') this.#sleep(run_id, head, rest);
    const isDone = this.#stopping.signal.aborted || rest.at !== 'work';
    if (!isDone) this.#failed(run_id, new PatchbayError('INTERNAL', `run ${run_id} stopped though it could go on`));
    else if (this.#troubles.delete(run_id)) this.#tell();
  }

  #sleep(run_id: string, head: number, rest: Exclude<Rest, { at: 'work' }>): void {
    this.#asleep.set(run_id, { head, until: rest.until?.getTime() ?? Number.POSITIVE_INFINITY });
    if (rest.at === 'elsewhere') this.#elsewhere.add(run_id, rest.lacking);
    else if (this.#elsewhere.delete(run_id)) this.#tell();
  }

  /** Another host has it: how it stands is not known any more. */
  #leave(run_id: string): void {
    this.#asleep.delete(run_id);
    if (this.#elsewhere.delete(run_id)) this.#tell();
  }

  #failedOrLeft(run_id: string, error: unknown): void {
    if (error instanceof PatchbayError && error.code === 'RUN_ELSEWHERE') {
      this.#left.set(run_id, Date.now() + elsewhereMs);
      if (this.#troubles.delete(run_id)) this.#tell();
    } else this.#failed(run_id, error);
  }

  #failed(run_id: string, error: unknown): void {
    const attempts = (this.#troubles.get(run_id)?.attempts ?? 0) + 1;
    const next = new Date(Date.now() + this.#backoffMs(attempts));
    const trouble = troubleOf(run_id, error, attempts, next);
    this.#troubles.set(run_id, trouble);
    this.#tell(trouble);
  }

  #backoffMs(attempts: number): number {
    return this.#parts.backoffMs?.(attempts) ?? Math.min(1000 * 2 ** (attempts - 1), longestBackoffMs);
  }

  #tell(latest?: Trouble): void {
    this.#parts.troubled?.(this.troubles, latest);
  }

  #forgetAllBut(open: ReadonlySet<string>): void {
    for (const run_id of this.#asleep.keys()) if (!open.has(run_id)) this.#asleep.delete(run_id);
    for (const [run_id, until] of this.#left) if (until < Date.now()) this.#left.delete(run_id);
    const before = this.#troubles.size;
    for (const run_id of this.#troubles.keys()) if (!open.has(run_id)) this.#troubles.delete(run_id);
    if (this.#elsewhere.keepOnly(open) || this.#troubles.size !== before) this.#tell();
  }

  /** When something can change by itself; infinity if never. */
  #nextTime(): number {
    let first = this.#elsewhere.nextTime;
    for (const { until } of this.#asleep.values()) first = Math.min(first, until);
    for (const until of this.#left.values()) first = Math.min(first, until);
    for (const { run_id, next_at } of this.#troubles.values()) {
      // One that is being tried again is in trouble until that has come to something.
      if (!this.#busy.has(run_id)) first = Math.min(first, Date.parse(next_at));
    }
    return first;
  }

  #wakeAt(time: number): void {
    clearTimeout(this.#timer);
    if (time === Number.POSITIVE_INFINITY || this.#stopping.signal.aborted) return;
    const inMs = Math.min(Math.max(time - Date.now(), 0), longestTimerMs);
    this.#timer = setTimeout(() => this.look(), inMs);
  }
}

/** Resolves then, or at the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => {});
}
