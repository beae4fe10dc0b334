import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateDir } from 'patchbay-host';

const most = 500;

/** The lines that were typed in chats of a project, for the arrow keys. What cannot be read or written is done without. */
export class TypedHistory {
  readonly #file: string;

  constructor(project: string) {
    this.#file = join(stateDir(project), 'chat-history');
  }

  /** The newest first. */
  read(): string[] {
    try {
      const lines = readFileSync(this.#file, 'utf8').split('\n');
      return lines
        .filter((line) => line !== '')
        .slice(-most)
        .reverse();
    } catch {
      return [];
    }
  }

  write(newestFirst: readonly string[]): void {
    try {
      writeFileSync(this.#file, `${newestFirst.slice(0, most).toReversed().join('\n')}\n`, { mode: 0o600 });
    } catch {
      // It is a convenience.
    }
  }
}
