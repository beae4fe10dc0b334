import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateDir } from '../config/state.ts';
import { hiding } from '../log/redact.ts';
import { RollingFile } from '../log/rolling-file.ts';

/** A line longer than this is cut. */
const mostLine = 16 * 1024;
/** So much of what was said last is told with a failure. */
const mostTail = 2_000;

/** Where what an MCP server of a project prints, and what becomes of it, is written down. */
export function serverLogFile(project: string, server: string): string {
  return join(stateDir(project), 'logs', 'mcp', `${server}.log`);
}

/** The last lines of the log of a server, the oldest first; none if it has none. */
export function readServerLog(project: string, server: string, lines: number): string[] {
  const file = serverLogFile(project, server);
  const text = [`${file}.1`, file].map(textOf).join('');
  const all = text.split('\n').slice(0, -1);
  return lines === 0 ? [] : all.slice(-lines);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The log of a server: what it prints, line by line, without the values of its variables. Never throws. */
export class ServerLog {
  readonly #file: RollingFile;
  readonly #path: string;
  #hide: <T>(value: T) => T = (value) => value;
  #begun: Record<string, string> = {};
  #tail = '';

  constructor(project: string, server: string) {
    this.#path = serverLogFile(project, server);
    this.#file = new RollingFile(this.#path);
  }

  /** It is started anew: these are the values that nobody should read. */
  begin(secrets: Iterable<string>): void {
    this.#hide = hiding(secrets);
    this.#begun = {};
    this.#tail = '';
  }

  /** It has printed something; a line is written when it is complete. */
  printed(stream: 'stdout' | 'stderr', text: string): void {
    const lines = ((this.#begun[stream] ?? '') + text).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) this.#write(stream, line);
    if (last.length > mostLine) this.#write(stream, last);
    this.#begun[stream] = last.length > mostLine ? '' : last;
  }

  /** Something became of it. */
  note(text: string): void {
    this.#write('patchbay', text);
  }

  /** It has ended: what it printed last may lack the end of the line. */
  end(): void {
    for (const [stream, text] of Object.entries(this.#begun)) if (text !== '') this.#write(stream, text);
    this.#begun = {};
  }

  /** A text without the values that nobody should read. */
  hidden(text: string): string {
    return this.#hide(text);
  }

  /** What it printed last. */
  tail(): string {
    const begun = Object.values(this.#begun).filter((text) => text !== '');
    return this.#hide([this.#tail, ...begun].join(''))
      .slice(-mostTail)
      .trim();
  }

  close(): void {
    this.#file.close();
  }

  #write(who: string, line: string): void {
    const text = this.#hide(line.length > mostLine ? `${line.slice(0, mostLine)} …` : line);
    if (who !== 'patchbay') this.#tail = `${this.#tail}${text}\n`.slice(-mostTail);
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#file.write(`${new Date().toISOString()} ${who}: ${text.trimEnd()}\n`);
    } catch {
      // A full disk costs the line, not the server.
    }
  }
}
