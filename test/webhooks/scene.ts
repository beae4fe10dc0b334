import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LedgerStore } from 'patchbay-host/ledger';
import { onTestFinished } from 'vitest';
import { folder } from '../project.ts';
import { openBeside } from '../store.ts';

const source = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];

/** A project, and the hosts that serve its webhooks one after the other, all on the same port. */
export class Scene {
  readonly dir = folder({ 'patchbay.yaml': '' });
  port = 0;
  #child: ChildProcess | undefined;

  async start(): Promise<void> {
    const args = [...source, join(import.meta.dirname, 'host.ts'), this.dir, String(this.port)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    this.#child = child;
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    this.port = Number(line);
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const ended = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill(signal);
    await ended;
  }

  get isAlive(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** How much memory the host has, in MB. */
  get memory(): number {
    const status = readFileSync(`/proc/${this.#child?.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  /** Looks at the ledger. */
  async looking<T>(act: (ledger: LedgerStore) => Promise<T>): Promise<T> {
    const ledger = await openBeside(this.dir);
    return act(ledger).finally(() => ledger.close());
  }

  /** The ids of requests for which the handler was called, in order. */
  handled(): string[] {
    const file = join(this.dir, 'handled');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  }
}
