import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/** A terminal: shows what a real one would, and keeps every state of its last line. */
export class Screen {
  /** Stands for the stream of the terminal. */
  readonly stream: WriteStream;
  /** Every state that its last line was ever in. */
  readonly states: string[] = [];
  readonly #lines: string[][] = [[]];
  #at = 0;

  constructor(columns: number) {
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk, _, done) => {
        this.#take(String(chunk));
        done();
      },
    });
    this.stream = Object.assign(stream, { isTTY: true, columns, getColorDepth: () => 1 }) as unknown as WriteStream;
  }

  /** What stands on it. */
  get lines(): readonly string[] {
    return this.#lines.map((line) => line.join(''));
  }

  /** Only what a status line needs: to the beginning, erase the line, next line. */
  #take(text: string): void {
    for (const [i, part] of text.split('\u001b[2K').entries()) {
      if (i > 0) this.#lines[this.#lines.length - 1] = [];
      for (const char of part) this.#put(char);
      this.states.push(this.lines.at(-1) ?? '');
    }
  }

  #put(char: string): void {
    if (char === '\n') this.#lines.push([]);
    if (char === '\n' || char === '\r') this.#at = 0;
    else (this.#lines.at(-1) ?? [])[this.#at++] = char;
  }
}
