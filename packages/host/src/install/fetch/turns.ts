import { setImmediate } from 'node:timers/promises';

const turnMs = 10;

/**
 * Synchronous work on many small files is several times faster than asynchronous, but nothing else happens meanwhile.
 * Whoever does it awaits `rest` between its pieces, and other work gets its turn often enough.
 */
export class Turns {
  // Not `performance.now()`, which Node loads when it is first asked for: a millisecond of every install.
  #since = Date.now();

  /** Waits for other work, if some time has passed since it had its turn. */
  async rest(): Promise<void> {
    if (Date.now() - this.#since < turnMs) return;
    await setImmediate();
    this.#since = Date.now();
  }
}
