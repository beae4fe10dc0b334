import { clearScreenDown, cursorTo, type Interface, moveCursor } from 'node:readline';
import { cutTo } from '../width.ts';

/** A terminal on which somebody types while others print: what is printed stays above the line that is typed. */
export class Screen {
  readonly #rl: Interface;
  readonly #out: NodeJS.WriteStream;
  #prompt = '';
  #status = '';

  constructor(rl: Interface, out: NodeJS.WriteStream) {
    this.#rl = rl;
    this.#out = out;
  }

  /** What stands before the line that is typed, from now on. */
  set prompt(text: string) {
    this.#prompt = text;
    this.#draw(() => {});
  }

  /** Shows a line just above the one that is typed; nothing if it is empty. */
  set status(text: string) {
    if (text === this.#status) return;
    this.#status = text;
    this.#draw(() => {});
  }

  /** Prints lines; nothing if there are none. */
  print(text: string): void {
    if (text !== '') this.#draw(() => this.#out.write(`${text}\n`));
  }

  /** Takes the status away until something is drawn again: the line is about to be entered, and stays. */
  settle(): void {
    this.#rl.setPrompt(this.#prompt);
    this.#rl.prompt(true);
  }

  #draw(print: () => void): void {
    const { rows } = this.#rl.getCursorPos();
    moveCursor(this.#out, 0, -rows);
    cursorTo(this.#out, 0);
    clearScreenDown(this.#out);
    print();
    const status = cutTo(this.#status, (this.#out.columns || 80) - 1);
    this.#rl.setPrompt(status === '' ? this.#prompt : `${status}\n${this.#prompt}`);
    // It goes up so many rows by itself.
    this.#out.write('\n'.repeat(rows));
    this.#rl.prompt(true);
  }
}

/** Has what anybody prints to a stream told instead, line by line, until the undo. */
export function divert(stream: NodeJS.WriteStream, tell: (lines: string) => void): () => void {
  const { write } = stream;
  let begun = '';
  stream.write = ((chunk: string | Uint8Array) => {
    const lines = (begun + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).split('\n');
    begun = lines.pop() ?? '';
    if (lines.length > 0) tell(lines.join('\n'));
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
    if (begun !== '') stream.write(begun);
  };
}
