import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from 'patchbay-sdk';
import { type Logger, pino } from 'pino';
import { hiding } from './redact.ts';

/** The log of a plugin never takes more than twice this on disk. */
const mostBytes = 1024 * 1024;
/** A single line longer than this is cut. */
const mostLine = 16 * 1024;

/** A file that lines are added to; when it is full it becomes the older of two. */
class RollingFile {
  readonly #file: string;
  #fd: number | undefined;
  #size = 0;

  constructor(file: string) {
    this.#file = file;
  }

  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#fd === undefined) this.#open();
    if (this.#size + line.length > mostBytes) this.#roll();
    writeSync(this.#fd as number, line);
    this.#size += line.length;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): void {
    this.#fd = openSync(this.#file, 'a', 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  #roll(): void {
    this.close();
    renameSync(this.#file, `${this.#file}.1`);
    this.#open();
  }
}

/** The logs of plugins: one file of JSON lines each, bounded, without secrets. */
export class PluginLogs {
  readonly #dir: string;
  readonly #files = new Map<string, RollingFile>();

  /** Files are made in this folder when there is something to write. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The log of a plugin. Never throws: a full disk costs the line, not the plugin. */
  of(plugin: string, secrets: readonly string[] = []): Log {
    const hide = hiding(secrets);
    let logger: Logger | undefined;
    const write = (level: keyof Log) => (message: string, fields?: Record<string, unknown>) => {
      try {
        logger ??= this.#logger(plugin, hide);
        const text = hide(String(message));
        logger[level](hide(fields ?? {}), text.length > mostLine ? `${text.slice(0, mostLine)} …` : text);
      } catch {
        // See above.
      }
    };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }

  #logger(plugin: string, hide: (text: string) => string): Logger {
    let file = this.#files.get(plugin);
    if (file === undefined) {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
      file = new RollingFile(join(this.#dir, `${plugin.replace('/', '__')}.log`));
      this.#files.set(plugin, file);
    }
    const to = file;
    return pino({ level: 'debug', base: { plugin } }, { write: (line: string) => to.write(hide(line)) });
  }
}
