import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateDir } from '../config/state.ts';
import type { LedgerStore } from '../ledger/index.ts';

/** A note for each path, so that two who change something at once cannot undo each other's change. */
const prefix = 'paused ';
/** Stands for all paths, which begin with a slash. */
const all = '*';

/** Has a path, or all of them, refuse requests until it is resumed, over restarts too. Heeded soon by all hosts that serve. */
export async function pauseWebhooks(ledger: LedgerStore, project: string, path: string | null): Promise<void> {
  await takeOver(ledger, project);
  await ledger.setNote(prefix + (path ?? all), new Date().toISOString());
}

/** Has a path take requests again; null: all of them, also those that were paused one by one. */
export async function resumeWebhooks(ledger: LedgerStore, project: string, path: string | null): Promise<void> {
  await takeOver(ledger, project);
  const keys = path === null ? [...(await ledger.notes(prefix)).keys()] : [prefix + path];
  await Promise.all(keys.map((key) => ledger.setNote(key, undefined)));
}

/** What is paused. */
export interface Paused {
  readonly all: boolean;
  readonly paths: ReadonlySet<string>;
}

/** What is paused in a project now. `ledger` is undefined where there is none yet. */
export async function readPaused(ledger: LedgerStore | undefined, project: string): Promise<Paused> {
  if (ledger === undefined) return pausedOf(oldNames(project));
  await takeOver(ledger, project);
  return pausedOf([...(await ledger.notes(prefix)).keys()].map((key) => key.slice(prefix.length)));
}

function pausedOf(names: readonly string[]): Paused {
  return { all: names.includes(all), paths: new Set(names.filter((name) => name !== all)) };
}

/** Until 0.1 they were files, named after their paths. */
function oldFolder(project: string): string {
  return join(stateDir(project), 'paused-webhooks');
}

function oldNames(project: string): string[] {
  try {
    return readdirSync(oldFolder(project)).map((name) => (name === 'all' ? all : decodeURIComponent(name)));
  } catch {
    return [];
  }
}

/** Makes notes of what an earlier version has paused. */
async function takeOver(ledger: LedgerStore, project: string): Promise<void> {
  const names = oldNames(project);
  if (names.length === 0) return;
  const now = new Date().toISOString();
  await Promise.all(names.map((name) => ledger.setNote(prefix + name, now)));
  rmSync(oldFolder(project), { recursive: true, force: true });
}

/** Where others write all the time, it is not looked more often; where the ledger cannot be read, less. */
const [lookEveryMs, retryMs] = [250, 2000];

/** What is paused, kept up to date. */
export class PauseWatch {
  readonly #ledger: LedgerStore;
  readonly #project: string;
  readonly #closing = new AbortController();
  readonly #unhear: readonly (() => void)[];
  readonly #resumed: () => void;
  #paused: Paused;
  #looking: Promise<void> | undefined;
  #again = false;

  private constructor(ledger: LedgerStore, project: string, paused: Paused, resumed: () => void) {
    this.#ledger = ledger;
    this.#project = project;
    this.#paused = paused;
    this.#resumed = resumed;
    const look = () => this.#look();
    this.#unhear = [ledger.on('elsewhere', look), ledger.on('noted', (key) => key.startsWith(prefix) && look())];
    // Between reading and listening something may have been changed.
    look();
  }

  /** `resumed` hears when something is taken again. Throws what the ledger throws. */
  static async open(ledger: LedgerStore, project: string, resumed: () => void): Promise<PauseWatch> {
    return new PauseWatch(ledger, project, await readPaused(ledger, project), resumed);
  }

  isPaused(path: string): boolean {
    return this.#paused.all || this.#paused.paths.has(path);
  }

  async close(): Promise<void> {
    for (const unhear of this.#unhear) unhear();
    this.#closing.abort();
    await this.#looking;
  }

  #look(): void {
    this.#again = true;
    this.#looking ??= this.#lookOn();
  }

  async #lookOn(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#again && !signal.aborted) {
      this.#again = false;
      const isRead = await this.#lookOnce().catch(() => false);
      // What cannot be read now stays as it was.
      if (!isRead) this.#again = true;
      await sleep(isRead ? lookEveryMs : retryMs, undefined, { signal }).catch(() => {});
    }
    this.#looking = undefined;
  }

  async #lookOnce(): Promise<true> {
    const before = this.#paused;
    this.#paused = await readPaused(this.#ledger, this.#project);
    const isLess = (before.all && !this.#paused.all) || [...before.paths].some((path) => !this.#paused.paths.has(path));
    if (isLess) this.#resumed();
    return true;
  }
}
