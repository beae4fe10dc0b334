import { messageOf } from 'patchbay-sdk';
import type { Claim, Peers } from './peers.ts';

/** What is done while a host has a duty. */
export interface Done {
  close(): Promise<void>;
}

/** What a duty is done with. */
export interface DutyParts<T extends Done> {
  readonly peers: Peers;
  readonly key: string;
  /** Begins to do it. */
  readonly begin: () => Promise<T>;
  /** Hears why it could not be begun when another host had left it. */
  readonly warn: (message: string) => void;
}

/** Something that one of the hosts does for all: this one, from when no other does. */
export class Duty<T extends Done> {
  readonly #parts: DutyParts<T>;
  #claim: Claim | undefined;
  #done: T | undefined;
  #changing: Promise<void> = Promise.resolve();
  #unhear: (() => void) | undefined;

  constructor(parts: DutyParts<T>) {
    this.#parts = parts;
  }

  /** Does it if no other host does, and otherwise as soon as none does. Throws what beginning throws, if it is this host's at once. */
  async start(): Promise<void> {
    const { peers, warn, key } = this.#parts;
    await this.#take();
    this.#unhear = peers.onFreed(() => {
      this.#changing = this.#changing
        .then(() => this.#take())
        .catch((error) => warn(`duty "${key}" could not be begun: ${messageOf(error)}`));
    });
  }

  /** What is done, if this host does it now. */
  get done(): T | undefined {
    return this.#done;
  }

  /** Leaves it to the others. */
  async close(): Promise<void> {
    this.#unhear?.();
    await this.#changing;
    await this.#leave();
  }

  async #take(): Promise<void> {
    const { peers, key, begin } = this.#parts;
    if (this.#claim !== undefined || peers.isElsewhere('duty', key)) return;
    const claim = await peers.take('duty', key);
    if (claim === undefined) return;
    this.#claim = claim;
    try {
      this.#done = await begin();
    } catch (error) {
      await this.#leave();
      throw error;
    }
    const lose = () => {
      this.#changing = this.#changing.then(() => this.#leave()).catch(() => {});
    };
    if (claim.lost.aborted) lose();
    else claim.lost.addEventListener('abort', lose, { once: true });
  }

  async #leave(): Promise<void> {
    const [claim, done] = [this.#claim, this.#done];
    this.#claim = undefined;
    this.#done = undefined;
    await done?.close();
    await claim?.release();
  }
}
