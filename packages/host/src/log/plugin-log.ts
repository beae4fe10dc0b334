import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from 'patchbay-sdk';
import { type Logger, pino } from 'pino';
import { hiding } from './redact.ts';
import { RollingFile } from './rolling-file.ts';

/** A single line longer than this is cut. */
const mostLine = 16 * 1024;

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
