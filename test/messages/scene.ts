import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LedgerStore } from 'patchbay-host/ledger';
import { onTestFinished } from 'vitest';
import { folder } from '../project.ts';
import { openBeside } from '../store.ts';

const source = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];

type Told = { readonly ready?: true; readonly taken?: string; readonly jid?: string; readonly text?: string };

/** A project, its hosts one after the other, and the people who talk with them: a message is sent again until it is taken. */
export class Scene {
  readonly dir = folder({ 'patchbay.yaml': '' });
  /** What was sent, by chat, in order; what came again right after a restart is in it twice. */
  readonly heard = new Map<string, string[]>();
  readonly #workspaces: number;
  /** Messages of which nobody has said that they are taken, by chat and id, in order. */
  readonly #untaken = new Map<string, { jid: string; id: string }>();
  #child: ChildProcess | undefined;
  #isUp = false;

  constructor(workspaces: number) {
    this.#workspaces = workspaces;
  }

  async start(): Promise<void> {
    const args = [this.dir, String(this.#workspaces)];
    const child = fork(join(import.meta.dirname, 'host.ts'), args, { execArgv: source });
    onTestFinished(() => void child.kill('SIGKILL'));
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    child.on('message', (told: Told) => {
      if (told.ready) resolve();
      if (told.taken !== undefined) this.#untaken.delete(told.taken);
      if (told.jid !== undefined) this.heard.set(told.jid, [...(this.heard.get(told.jid) ?? []), told.text ?? '']);
    });
    child.on('error', () => {});
    this.#child = child;
    await ready;
    this.#isUp = true;
    for (const message of this.#untaken.values()) child.send(message);
  }

  say(workspace: number, id: string): void {
    const message = { jid: `pipe:${workspace}`, id };
    this.#untaken.set(`${message.jid} ${id}`, message);
    if (this.#isUp) this.#child?.send(message, () => {});
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#isUp = false;
    const ended = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill(signal);
    await ended;
  }

  get untaken(): number {
    return this.#untaken.size;
  }

  /** Milliseconds of a core's time that the host has used. */
  get cpuMs(): Promise<number> {
    return cpuOf(this.#child?.pid ?? 0);
  }

  /** Looks at the ledger. */
  async looking<T>(act: (ledger: LedgerStore) => Promise<T>): Promise<T> {
    const ledger = await openBeside(this.dir);
    return act(ledger).finally(() => ledger.close());
  }
}

async function cpuOf(pid: number): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, , , , , , , , , , , user = '0', system = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(user) + Number(system)) * 10;
}
