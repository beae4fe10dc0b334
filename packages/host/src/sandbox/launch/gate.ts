import { closeSync, writeSync } from 'node:fs';
import type { Pipe } from './pipes.ts';

/**
 * Has bubblewrap wait until the folders of its job are made: what it does first takes as long as that, and goes on meanwhile.
 * It reads its options here, to the end. Should this process die before, the end comes without them, and a namespace that is
 * made without options has no files in it: there is nothing to be run.
 */
export class Gate {
  /** What tells bubblewrap to read them on 4. */
  static readonly options: readonly string[] = ['--args', '4'];
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  /** What is to be its 4. */
  get reading(): number {
    return this.#pipe.read;
  }

  /** Gives it its options, fewer than a pipe holds. Throws what the system says. */
  give(options: readonly string[]): void {
    const text = Buffer.from(options.map((option) => `${option}\0`).join(''));
    if (writeSync(this.#pipe.write, text) < text.length) throw new Error('its options do not fit into a pipe');
  }

  /** Lets it go on with what it was given; one that was given nothing fails. */
  close(): void {
    closeSync(this.#pipe.read);
    closeSync(this.#pipe.write);
  }
}
