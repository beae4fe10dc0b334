/** A line longer than this is told in parts. */
const mostChars = 64 * 1024;

/** Makes whole lines of text that comes in pieces, and tells those that have come together at once. */
export class Lines {
  readonly #tell: (lines: string) => void;
  #begun = '';

  constructor(tell: (lines: string) => void) {
    this.#tell = tell;
  }

  add(text: string): void {
    const all = this.#begun + text;
    const end = all.lastIndexOf('\n');
    const isLong = all.length - end > mostChars;
    this.#begun = isLong ? '' : all.slice(end + 1);
    if (isLong) this.#tell(all);
    else if (end >= 0) this.#tell(all.slice(0, end));
  }

  /** No more will come: what has been begun is a line. */
  end(): void {
    if (this.#begun !== '') this.#tell(this.#begun);
    this.#begun = '';
  }
}
