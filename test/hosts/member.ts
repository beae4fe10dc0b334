import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from '../project.ts';

const patchbay = join(root, 'packages/cli/bin/patchbay.cjs');

/** How many runs a host carries on at once. */
export const runsAtOnce = 4;

/** What a host is started with. */
export interface Berth {
  readonly name: string;
  /** Its clone of the project. */
  readonly dir: string;
  readonly address: string;
  /** The words before its command. */
  readonly at: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One of the hosts: `patchbay serve` in its clone, started again when it was killed. */
export class Member {
  readonly berth: Berth;
  /** Endings that nobody had brought about. */
  readonly ended: string[] = [];
  /** What it said last. */
  readonly said: string[] = [];
  #process: ChildProcess | undefined;
  #api: string | undefined;

  constructor(berth: Berth) {
    this.berth = berth;
  }

  get name(): string {
    return this.berth.name;
  }

  /** Where its API is; undefined while it is not there. */
  get api(): string | undefined {
    return this.#api;
  }

  /** The process of its present life. */
  get pid(): string {
    return String(this.#process?.pid);
  }

  /** Starts it, again and again while there is no database. */
  async start(): Promise<void> {
    for (let tries = 1; this.#process === undefined; tries++) {
      const why = await this.#startOnce();
      if (why === undefined) return;
      if (tries === 20) throw new Error(`${this.name} does not start: ${why}`);
      await sleep(500);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    const child = this.#forget();
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** As its operator would; gives the code that it ended with. */
  async stop(): Promise<number | null> {
    const child = this.#forget();
    if (child === undefined) return null;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    return (await ended)[0] as number | null;
  }

  /** Asks its API for something; throws if it does not answer soon, or with an error. */
  async ask(path: string, body: object): Promise<void> {
    if (this.#api === undefined) throw new Error(`${this.name} is not there`);
    const token = readFileSync(join(this.berth.dir, '.patchbay/api-token'), 'utf8').trim();
    const answer = await fetch(`${this.#api}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5000),
    });
    if (!answer.ok) throw new Error(`${path} at ${this.name}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }

  /** Has a command run on its machine, in its clone. Throws if it ends with an error. */
  async command(...args: readonly string[]): Promise<void> {
    const { at, dir, env } = this.berth;
    const words = [...at, process.execPath, patchbay, ...args];
    await promisify(execFile)(words[0] as string, words.slice(1), { cwd: dir, env });
  }

  #forget(): ChildProcess | undefined {
    const child = this.#process;
    this.#process = undefined;
    this.#api = undefined;
    return child;
  }

  /** Gives why it did not come up. */
  async #startOnce(): Promise<string | undefined> {
    const { at, dir, address, env } = this.berth;
    const serve = [
      'serve',
      '--name',
      this.name,
      '--runs',
      String(runsAtOnce),
      '--host',
      address,
      '--port',
      '0',
      '--webhook-port',
      '0',
    ];
    // Dies with this process, whatever that dies of.
    const words = [...at, 'setpriv', '--pdeathsig=KILL', process.execPath, patchbay, ...serve];
    const child = spawn(words[0] as string, words.slice(1), { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    this.#hear(child);
    const ready = Promise.withResolvers<string | undefined>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#api ??= /^The API is at (\S+),/.exec(line)?.[1];
      if (this.#api !== undefined) ready.resolve(undefined);
    });
    child.once('exit', (code, signal) => {
      if (this.#process !== child) return;
      const how = `${this.name} ended with ${code ?? signal}: ${this.said.slice(-3).join(' | ')}`;
      if (this.#api !== undefined) this.ended.push(how);
      this.#forget();
      ready.resolve(how);
    });
    return ready.promise;
  }

  #hear(child: ChildProcess): void {
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.said.push(`${new Date().toISOString().slice(11, 23)} ${line}`);
    });
  }
}
