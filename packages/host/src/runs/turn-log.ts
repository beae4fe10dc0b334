import { RollingFile } from '../log/rolling-file.ts';

/** Of what is told at once, the rest is cut. */
const mostChars = 128 * 1024;

/** What is told of one attempt of a turn, kept in a file of bounded size. */
export class TurnLog {
  readonly #file: RollingFile;
  readonly #hear: (text: string) => void;
  #isClosed = false;

  /** `hear` is told the same. */
  constructor(file: string, hear: (text: string) => void) {
    this.#file = new RollingFile(file);
    this.#hear = hear;
  }

  /** Adds a line, or several. A full disk costs the line, not the turn; what is told when the turn is over is lost. */
  add(line: string): void {
    if (this.#isClosed) return;
    const text = line.length > mostChars ? `${line.slice(0, mostChars)} …` : line;
    try {
      this.#file.write(`${text}\n`);
    } catch {
      // See above.
    }
    this.#hear(text);
  }

  close(): void {
    this.#isClosed = true;
    this.#file.close();
  }
}
