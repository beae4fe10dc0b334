import { StringDecoder } from 'node:string_decoder';
import { Budget } from './budget.ts';
import type { LogLine } from './options.ts';

const printedPerSecond = 64 * 1024;
const longestLine = 8 * 1024;
const tailLength = 4 * 1024;

/** The log of one plugin process: what it prints and what it says, in lines, bounded. */
export class PluginLog {
  readonly #write: (line: LogLine) => void;
  readonly #budget: Budget;
  readonly #ends: (() => void)[] = [];
  #tail = '';

  /** `write` may throw: that is its own affair. */
  constructor(write: (line: LogLine) => void) {
    this.#write = (line) => {
      try {
        write(line);
      } catch (error) {
        process.emitWarning(`the log of a plugin failed: ${String(error)}`, 'PatchbayWarning');
      }
    };
    this.#budget = new Budget(printedPerSecond, (dropped) =>
      this.#write({ level: 'warn', message: `${dropped} bytes of output were dropped: too many in a second` }),
    );
  }

  /** The end of what was printed. */
  get tail(): string {
    return this.#tail;
  }

  line(line: LogLine): void {
    this.#write(line);
  }

  /** A place for what comes out of one pipe. */
  printed(level: 'info' | 'warn'): (chunk: Buffer) => void {
    const decoder = new StringDecoder();
    let partial = '';
    const tell = (message: string) => {
      if (message !== '') this.#write({ level, message });
    };
    this.#ends.push(() => tell(partial));
    return (chunk) => {
      // What is left out is not even decoded: a flood must not cost the host more than reading it.
      if (!this.#budget.take(chunk.length)) return;
      const text = decoder.write(chunk);
      this.#tail = (this.#tail + text).slice(-tailLength);
      const lines = (partial + text).split('\n');
      partial = (lines.pop() ?? '').slice(0, longestLine);
      for (const line of lines) tell(line.slice(0, longestLine));
    };
  }

  /** Nothing more will come: writes what is left. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
    this.#budget.settle();
  }
}
