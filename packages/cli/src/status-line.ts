import { cutTo } from './width.ts';

/** Between two drawings. */
const restMs = 100;
const erase = '\r\u001b[2K';

/** What a status line needs of a terminal. */
export type Terminal = Pick<NodeJS.WriteStream, 'write' | 'columns'> & { readonly isTTY?: boolean };

/**
 * The last line of a terminal, which is redrawn in place. Whatever anybody prints to the terminal meanwhile stays above it; the
 * line is never longer than the terminal is wide, and drawn at most ten times a second.
 */
export class StatusLine {
  readonly #terminal: Terminal;
  /** Before it was taken over. */
  readonly #original: Terminal['write'];
  readonly #print: (text: string) => void;
  #text = '';
  #isDrawn = false;
  /** Somebody has printed the beginning of a line. */
  #isShared = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** Takes the terminal over until it is closed. */
  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#original = terminal.write;
    this.#print = (text) => void this.#original.call(terminal, text);
    terminal.write = ((...args: Parameters<Terminal['write']>) => {
      this.#erase();
      const taken = this.#original.apply(terminal, args);
      this.#isShared = !endsLine(args[0]);
      this.#drawSoon();
      return taken;
    }) as Terminal['write'];
  }

  /** Shows a text from now on. */
  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#drawSoon();
  }

  /** Takes the line away, and lets go of the terminal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#erase();
    this.#terminal.write = this.#original;
  }

  #drawSoon(): void {
    if (this.#timer !== undefined) return;
    const inMs = this.#drawnAt + restMs - performance.now();
    if (inMs <= 0) this.#draw();
    else this.#timer = setTimeout(() => this.#draw(), inMs).unref();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isShared) return;
    this.#drawnAt = performance.now();
    // The last place stays free: some terminals go to the next line when it is taken.
    const shown = cutTo(this.#text, (this.#terminal.columns || 80) - 1);
    // What the terminal itself prints, such as ^C, goes to the beginning, and is erased with the line.
    this.#print(`${erase}${shown}\r`);
    this.#isDrawn = true;
  }

  #erase(): void {
    if (this.#isDrawn) this.#print(erase);
    this.#isDrawn = false;
  }
}

function endsLine(chunk: string | Uint8Array): boolean {
  return typeof chunk === 'string' ? chunk.endsWith('\n') : chunk.at(-1) === 10;
}
