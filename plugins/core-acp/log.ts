const mostChars = 400;
const mostLines = 2000;

/** Tells people how it goes, in lines that are bounded in length and number: agents say what they like. */
export class BoundedLog {
  readonly #log: (line: string) => void;
  #told = 0;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  line(text: string): void {
    this.#told++;
    if (this.#told > mostLines + 1) return;
    this.#log(this.#told > mostLines ? `… no more than ${mostLines} lines are kept` : shortened(text));
  }
}

/** Makes lines of text that comes in pieces; of a line that is too long, the beginning. */
export class Lines {
  readonly #each: (line: string) => void;
  #begun = '';

  constructor(each: (line: string) => void) {
    this.#each = each;
  }

  push(text: string): void {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) this.end();
      this.#begun = (this.#begun + part).slice(0, mostChars + 1);
    }
  }

  /** What has been begun is a line. */
  end(): void {
    const line = this.#begun;
    this.#begun = '';
    if (line.trim() !== '') this.#each(line);
  }
}

/** One line without anything that a terminal would obey. */
export function shortened(text: string, most = mostChars): string {
  const line = text
    .slice(0, most + 1)
    .replace(/\p{Cc}+/gu, ' ')
    .trimEnd();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
