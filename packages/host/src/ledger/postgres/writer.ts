import { setTimeout as sleep } from 'node:timers/promises';
import type { Steps } from '../statements/steps.ts';
import type { Append, Writing } from '../storage.ts';
import type { Appended } from '../store.ts';
import { fault, isStorageFault, isUndone } from './fault.ts';
import type { Outcome } from './outcome.ts';
import type { Server } from './server.ts';
import { Session } from './session.ts';
import { type Act, transact } from './transaction.ts';

/** A change that waits for its transaction. */
interface Change {
  readonly act: Act;
  /** Who asked for it: a host that has joined again since is another one, and what it asked for before is not to be. */
  readonly host: string | undefined;
  readonly characters: number;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** So much is written at once. */
const mostChanges = 512;
const mostCharacters = 4_000_000;
/** How often changes are tried that wait for those of another process, and those for them. */
const mostTries = 5;

/**
 * Writes changes in groups, on a connection of its own: those asked for in one turn of the event loop, or while the group
 * before them was written, share a transaction. Each resolves when that is durable, in order.
 */
export class Writer {
  readonly #server: Server;
  readonly #host: () => string | undefined;
  readonly #written: (acts: readonly Act[]) => void;
  #session: Session | undefined;
  #waiting: Change[] = [];
  #working: Promise<void> | undefined;

  /** `host` says which host writes, if any; `written` hears of each group that is durable. */
  constructor(server: Server, host: () => string | undefined, written: (acts: readonly Act[]) => void) {
    this.#server = server;
    this.#host = host;
    this.#written = written;
  }

  append(append: Append, told: (appended: Appended) => void): Promise<Appended> {
    return this.#write({ append }, append.draft.payload.length, told);
  }

  write<T>(change: () => Steps<T>, { told, characters = 0, alone = false, about }: Writing<T> = {}): Promise<T> {
    return this.#write({ change, alone, about }, characters, told);
  }

  /** Waits for everything that was asked for. Never throws: each change hears of its own fate. */
  async flush(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** To be called when nothing is asked for any more. */
  async end(): Promise<void> {
    await this.#session?.end();
  }

  #write<T>(act: Act, characters: number, told: ((value: T) => void) | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = (value: unknown) => {
        resolve(value as T);
        told?.(value as T);
      };
      this.#waiting.push({ act, host: this.#host(), characters, done, failed: reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What follows from the group before is asked for by then, and is not done while the server waits for an answer.
      await new Promise(setImmediate);
      const changes = this.#nextGroup();
      const outcomes = await this.#outcomes(
        changes.map(({ act }) => act),
        changes[0]?.host,
      );
      for (const [i, outcome] of outcomes.entries()) {
        if ('error' in outcome) changes[i]?.failed(outcome.error);
        else changes[i]?.done(outcome.value);
      }
    }
    this.#working = undefined;
  }

  #nextGroup(): Change[] {
    let [count, characters] = [0, 0];
    const host = this.#waiting[0]?.host;
    for (const change of this.#waiting) {
      if (count === mostChanges || characters >= mostCharacters || change.host !== host) break;
      characters += change.characters;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #outcomes(acts: readonly Act[], host: string | undefined): Promise<Outcome[]> {
    try {
      return await this.#transact(acts, host);
    } catch (error) {
      // One of them is at fault: each on its own, so that the others do not pay for it.
      if (acts.length > 1 && !isStorageFault(error)) {
        const outcomes: Outcome[] = [];
        for (const act of acts) outcomes.push(...(await this.#outcomes([act], host)));
        return outcomes;
      }
      return acts.map(() => ({ error: fault(error, this.#server.shown, 'written') }));
    }
  }

  async #transact(acts: readonly Act[], host: string | undefined): Promise<Outcome[]> {
    for (let tries = 1; ; tries++) {
      try {
        const outcomes = await transact(await this.#connected(), this.#server, acts, host);
        this.#written(acts);
        return outcomes;
      } catch (error) {
        if (!isUndone(error) || tries === mostTries) throw error;
        // So that the other one is over before this one is in its way again.
        await sleep(Math.random() * 100 * tries);
      }
    }
  }

  async #connected(): Promise<Session> {
    if (this.#session?.isLost === true) {
      const lost = this.#session;
      this.#session = undefined;
      await lost.end();
    }
    this.#session ??= await Session.open(this.#server);
    return this.#session;
  }
}
