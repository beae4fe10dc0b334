import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Elsewhere } from '../store.ts';
import type { Readers } from './readers.ts';
import type { Server } from './server.ts';
import { Session } from './session.ts';
import type { Act } from './transaction.ts';
import { heardIn, Word } from './word.ts';

const channel = 'patchbay';
/** How often to look for changes of which no word has come: whoever made them may have died before it could send one. */
const lookEveryMs = 3000;
/** One word in so many milliseconds: each wakes every host. */
const wordEveryMs = 20;
const notify = { name: 'patchbay_notify', text: 'SELECT pg_notify($1, $2)' };
const [firstPauseMs, longestPauseMs] = [250, 10_000];

/** How far the ledger is. `next` grows with every transaction that writes anything, of others on the server too. */
const look = `
  SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next, head_seq AS last, (SELECT max(n) FROM runs) AS newest
  FROM chain`;

interface Extent {
  readonly next: string;
  /** The last event. */
  readonly last: number;
  /** The run that was asked for last. */
  readonly newest: number | null;
}

/** No event, and no run: it is about what is there already, if it is about the ledger at all. */
const nothingNew: Elsewhere = { types: [], runs: [], deliveries: true, requests: false };

type Hear = (what?: Elsewhere) => void;

/** Tells others that something was written, and hears it of them. */
export class Listener {
  readonly #server: Server;
  readonly #readers: Readers;
  /** So that one's own word is known. */
  readonly #name = randomUUID();
  /** What was written and not told yet. */
  #word = new Word();
  #telling: Promise<void> | undefined;
  #listening: Promise<void> | undefined;

  constructor(server: Server, readers: Readers) {
    this.#server = server;
    this.#readers = readers;
  }

  /**
   * Sends word, after the transaction and not in it: the server lets only one of those commit at a time that send any. One word
   * does for all that is written shortly after another one.
   */
  tell(acts: readonly Act[]): void {
    this.#word.add(acts);
    this.#telling ??= this.#tell();
  }

  /** Has `hear` called when others may have written. Gives the undo. */
  watch(hear: Hear): () => void {
    const ending = new AbortController();
    const before = this.#listening;
    this.#listening = this.#listen(hear, ending.signal).then(() => before);
    return () => ending.abort();
  }

  /** Waits until all word is sent. */
  async flush(): Promise<void> {
    await this.#telling;
  }

  /** Waits until nobody listens any more. */
  async end(): Promise<void> {
    await this.#listening;
  }

  async #tell(): Promise<void> {
    while (!this.#word.isEmpty) {
      const said = this.#word.spoken(this.#name);
      this.#word = new Word();
      // Those who do not hear of it look from time to time.
      await this.#readers.make({ ...notify, values: [channel, said] }).catch(() => {});
      await sleep(wordEveryMs);
    }
    this.#telling = undefined;
  }

  async #listen(hear: Hear, signal: AbortSignal): Promise<void> {
    for (let pause = firstPauseMs; !signal.aborted; pause = Math.min(pause * 2, longestPauseMs)) {
      const hasListened = await this.#listenOnce(hear, signal).catch(() => false);
      if (hasListened) pause = firstPauseMs;
      if (!signal.aborted) await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  /** Until the connection is lost. Whether there was one. */
  async #listenOnce(hear: Hear, signal: AbortSignal): Promise<boolean> {
    const session = await Session.open(this.#server);
    try {
      const gone = new AbortController();
      const over = AbortSignal.any([signal, gone.signal]);
      const heard = (text: string) => {
        const { by, said } = heardIn(text);
        if (by !== this.#name && !signal.aborted) hear(said);
      };
      session.listen(heard, () => gone.abort());
      await session.ask(`LISTEN ${channel}`);
      for (let seen: Extent | undefined; !over.aborted && !session.isLost; ) {
        const { rows } = await session.ask(look);
        const now = rows[0] as Extent;
        const isSame = now.last === seen?.last && now.newest === seen.newest;
        // At first, too: something may have been written before this one listened.
        if (now.next !== seen?.next && !signal.aborted) hear(isSame ? nothingNew : undefined);
        seen = now;
        await sleep(lookEveryMs, undefined, { signal: over }).catch(() => {});
      }
      return true;
    } finally {
      await session.end();
    }
  }
}
