import type { Piece } from '../wire.ts';

/** How often is told what was printed. */
const everyMs = 100;
/** So much of the beginning, and of the end, of what was printed meanwhile. */
const shareBytes = 16 * 1024;
const nothing = Buffer.alloc(0);

/**
 * Tells of a stream while it is printed to, in bounded memory and at a bounded rate, whatever comes: nobody is waited for, what
 * is too much is counted and left out.
 */
export class Telling {
  readonly #tell: (piece: Omit<Piece, 'stream'>) => void;
  readonly #isClogged: () => boolean;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer = nothing;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** While `isClogged`, nothing is told. */
  constructor(tell: (piece: Omit<Piece, 'stream'>) => void, isClogged: () => boolean) {
    this.#tell = tell;
    this.#isClogged = isClogged;
  }

  add(chunk: Buffer): void {
    this.#timer ??= setTimeout(() => this.#onTime(), everyMs);
    this.#bytes += chunk.length;
    const first = chunk.subarray(0, shareBytes - this.#headBytes);
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    if (first.length === chunk.length) return;
    const last = chunk.subarray(first.length).subarray(-shareBytes);
    this.#tail = Buffer.concat([this.#tail, last]).subarray(-shareBytes);
  }

  /** Nothing more will be printed: tells the rest. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#bytes > 0) this.#tellAll();
  }

  #onTime(): void {
    this.#timer = this.#isClogged() ? setTimeout(() => this.#onTime(), everyMs) : undefined;
    if (this.#timer === undefined) this.#tellAll();
  }

  #tellAll(): void {
    const leftOut = this.#bytes - this.#headBytes - this.#tail.length;
    const head = Buffer.concat(this.#head).toString('base64');
    this.#tell(this.#tail.length === 0 ? { head } : { head, leftOut, tail: this.#tail.toString('base64') });
    this.#head = [];
    this.#headBytes = 0;
    this.#tail = nothing;
    this.#bytes = 0;
  }
}
