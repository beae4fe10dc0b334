import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bin, cleanEnv } from './command.ts';

/** The command, as it is typed at a shell; another one than that of this repository if the environment names it. */
export const command = process.env['PATCHBAY_BIN'] ?? `${process.execPath} ${bin}`;

const waitMs = 60_000;

/** A terminal that somebody looks at: windows of tmux, of a server of their own. */
export class Tmux {
  readonly #dir = mkdtempSync(join(tmpdir(), 'patchbay-tmux-'));
  readonly #socket = join(this.#dir, 'socket');
  readonly #size = ['-x', '100', '-y', '40'];

  /** Opens a window with a shell. */
  window(name: string, cwd: string): Window {
    const session = ['new-session', '-d', '-s', name, ...this.#size, '-c', cwd, 'sh'];
    this.run(...session);
    this.run('send-keys', '-t', name, `PS1='$ '; stty sane; clear`, 'Enter');
    return new Window(this, name);
  }

  /** What tmux prints. */
  run(...args: string[]): string {
    const env = { ...cleanEnv(), TERM: 'xterm-256color', LANG: 'C.UTF-8' };
    return execFileSync('tmux', ['-S', this.#socket, '-u', '-f', '/dev/null', ...args], { encoding: 'utf8', env });
  }

  /** Ends everything that runs in it. */
  close(): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server']);
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** One window. */
export class Window {
  readonly #tmux: Tmux;
  readonly #name: string;

  constructor(tmux: Tmux, name: string) {
    this.#tmux = tmux;
    this.#name = name;
  }

  /** Types a text as it is. */
  type(text: string): void {
    this.#tmux.run('send-keys', '-t', this.#name, '-l', text);
  }

  /** Presses keys, as in `Enter` or `C-c`. */
  press(...keys: string[]): void {
    this.#tmux.run('send-keys', '-t', this.#name, ...keys);
  }

  enter(text: string): void {
    this.type(text);
    this.press('Enter');
  }

  /** What is to be seen, and what has gone out of sight at the top. */
  get text(): string {
    return this.#tmux.run('capture-pane', '-p', '-t', this.#name, '-S', '-1000').trimEnd();
  }

  /** Resolves when something is to be seen. */
  async sees(what: string | RegExp): Promise<void> {
    const matching = typeof what === 'string' ? expect.stringContaining(what) : expect.stringMatching(what);
    await expect.poll(() => this.text, { timeout: waitMs, interval: 100 }).toEqual(matching);
  }
}
