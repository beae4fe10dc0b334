import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateDir } from '../config/state.ts';

const all = 'all';

function folder(project: string): string {
  return join(stateDir(project), 'paused-webhooks');
}

/** A file for each path, so that two who change something at once cannot undo each other's change. */
function fileOf(project: string, path: string | null): string {
  return join(folder(project), path === null ? all : encodeURIComponent(path));
}

/** Has a path, or all of them, refuse requests until it is resumed, over restarts too. Heeded at once by a host that serves. */
export function pauseWebhooks(project: string, path: string | null): void {
  mkdirSync(folder(project), { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(project, path), `${new Date().toISOString()}\n`);
}

/** Has a path take requests again; null: all of them, also those that were paused one by one. */
export function resumeWebhooks(project: string, path: string | null): void {
  rmSync(path === null ? folder(project) : fileOf(project, path), { recursive: true, force: true });
}

/** What is paused. */
export interface Paused {
  readonly all: boolean;
  readonly paths: ReadonlySet<string>;
}

/** What is paused in a project now. */
export function readPaused(project: string): Paused {
  let names: string[] = [];
  try {
    names = readdirSync(folder(project));
  } catch {
    // Nothing is.
  }
  return { all: names.includes(all), paths: new Set(names.filter((name) => name !== all).map(decoded)) };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** How often it is looked whether something was paused or resumed. */
const lookEveryMs = 250;

/** What is paused, kept up to date. */
export class PauseWatch {
  readonly #project: string;
  readonly #timer: NodeJS.Timeout;
  #paused: Paused;

  /** `resumed` hears when something is taken again. */
  constructor(project: string, resumed: () => void) {
    this.#project = project;
    this.#paused = readPaused(project);
    this.#timer = setInterval(() => this.#look(resumed), lookEveryMs).unref();
  }

  isPaused(path: string): boolean {
    return this.#paused.all || this.#paused.paths.has(path);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(resumed: () => void): void {
    const before = this.#paused;
    this.#paused = readPaused(this.#project);
    const isLess = (before.all && !this.#paused.all) || [...before.paths].some((path) => !this.#paused.paths.has(path));
    if (isLess) resumed();
  }
}
