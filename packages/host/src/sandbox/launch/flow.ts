import type { Readable } from 'node:stream';

/** So much may be on its way to whoever takes it. */
const windowBytes = 256 * 1024;

/** Hands on all of a stream, no faster than it is taken: whoever prints to it waits. */
export class Flow {
  readonly #stream: Readable;
  readonly #tell: (chunk: Buffer) => void;
  #untaken = 0;
  #isFree = false;

  constructor(stream: Readable, tell: (chunk: Buffer) => void) {
    this.#stream = stream;
    this.#tell = tell;
    stream.on('data', (chunk: Buffer) => this.#hand(chunk));
  }

  /** So many bytes have been taken. */
  taken(count: number): void {
    this.#untaken -= count;
    if (this.#untaken < windowBytes) this.#stream.resume();
  }

  /** Whoever printed is gone: what is left, which is no more than a pipe holds, no longer waits. */
  free(): void {
    this.#isFree = true;
    this.#stream.resume();
  }

  #hand(chunk: Buffer): void {
    this.#tell(chunk);
    this.#untaken += chunk.length;
    if (this.#untaken >= windowBytes && !this.#isFree) this.#stream.pause();
  }
}
