import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerStore } from '../ledger/index.ts';
import { isChatRun } from '../runs/chat-run.ts';

/** What leftovers are removed with. */
export interface LeftoversParts {
  readonly ledger: Pick<LedgerStore, 'run'>;
  /** The folder in which runs have theirs. */
  readonly runs: string;
}

/** So many are removed at once. */
const atOnce = 4;

/**
 * Removes the folders of runs that have answered, a few at a time and beside the work: what was said and done is in the ledger.
 * Those of runs that did not work out stay, for people to look at.
 */
export class Leftovers {
  readonly #parts: LeftoversParts;
  readonly #waiting: string[] = [];
  #removing: Promise<void> | undefined;
  #closed = false;

  constructor(parts: LeftoversParts) {
    this.#parts = parts;
  }

  /** Begins with those that a host before left. */
  async start(): Promise<void> {
    const names = await readdir(this.#parts.runs).catch(() => []);
    for (const name of names) if (isChatRun(name)) this.add(name);
  }

  /** A run has ended. */
  add(run_id: string): void {
    this.#waiting.push(run_id);
    this.#removing ??= this.#removeAll();
  }

  /** Waits for those that are being removed; the rest is for the next host. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#removing;
  }

  async #removeAll(): Promise<void> {
    const worker = async () => {
      // Not from the front, which would move all the others.
      for (let run_id = this.#next(); run_id !== undefined; run_id = this.#next()) {
        // What is left then is in nobody's way.
        await this.#remove(run_id).catch(() => {});
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    this.#removing = undefined;
    if (this.#waiting.length > 0 && !this.#closed) this.#removing = this.#removeAll();
  }

  #next(): string | undefined {
    return this.#closed ? undefined : this.#waiting.pop();
  }

  async #remove(run_id: string): Promise<void> {
    const row = await this.#parts.ledger.run(run_id);
    if (row !== undefined && row.status !== 'completed') return;
    await removeFolder(join(this.#parts.runs, run_id));
  }
}

/** Bundles cannot be written to, which keeps whoever is not root from removing what is in them. */
async function removeFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true }).catch(async () => {
    await makeWritable(dir);
    await rm(dir, { recursive: true, force: true });
  });
}

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(dir, entry.name));
  }
}
