import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDir } from '../config/state.ts';
import { type Attempt, TurnFiles } from './turn-files.ts';

/** How a turn that is worked on shows that it is. */
export interface SignOfLife {
  /** When it was last seen to be worked on. */
  readonly at: string;
  /** The host. */
  readonly pid: number;
  /** When it, or a program of it, last printed something; null if nothing yet. */
  readonly last_output_at: string | null;
}

const everyMs = 1_000;

/**
 * Shows others, by a small file, that a turn is worked on. It is written now and then, and not for good: after a crash it says
 * when the last sign came. A turn that is soon done leaves none.
 */
export class Heartbeat {
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;
  #isWritten = false;
  #lastOutputAt: Date | undefined;

  /** Begins to beat, in the folder of the attempt. */
  constructor(dir: string) {
    this.#file = fileIn(dir);
    this.#timer = setInterval(() => this.#beat(), everyMs).unref();
  }

  /** Something was printed. */
  printed(): void {
    this.#lastOutputAt = new Date();
  }

  /** The turn is worked on no more. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    if (this.#isWritten) await rm(this.#file, { force: true }).catch(() => undefined);
  }

  #beat(): void {
    this.#isWritten = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    const sign: SignOfLife = {
      at: new Date().toISOString(),
      pid: process.pid,
      last_output_at: this.#lastOutputAt?.toISOString() ?? null,
    };
    const next = `${this.#file}.next`;
    try {
      await writeFile(next, `${JSON.stringify(sign)}\n`, { mode: 0o600 });
      await rename(next, this.#file);
    } catch {
      // Nobody can see that it lives; it does all the same.
    }
  }
}

/** The last sign of life of an attempt; undefined if it is not worked on, or has only just begun. Never throws. */
export function signOfLife(project: string, run_id: string, attempt: Attempt): SignOfLife | undefined {
  const files = new TurnFiles(stateDir(project));
  try {
    return JSON.parse(readFileSync(fileIn(files.place({ run_id }, attempt)), 'utf8')) as SignOfLife;
  } catch {
    return undefined;
  }
}

function fileIn(dir: string): string {
  return join(dir, 'heartbeat.json');
}
