import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { messageOf } from 'patchbay-sdk';
import { Lines, shortened } from './log.ts';

const baseEnvironment = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];
const mostMessageBytes = 8 * 1024 * 1024;
const mostBytes = 64 * 1024 * 1024;
const graceMs = 2000;
const lookEveryMs = 20;
const settleMs = 500;

/** What an agent is started with. */
export interface Start {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The variables that it sees besides the usual ones. */
  readonly env: readonly string[];
  /** Hears each line of its standard error. */
  readonly onStderr: (line: string) => void;
}

/** The process of an agent and all that it starts in its process group, from its start until nothing of it is left. */
export class AgentProcess {
  /** The messages to and from it. It fails if the agent says far more than agents do. */
  readonly stream: Stream;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #program: string;
  readonly #ended: Promise<string>;
  #lastWords: string[] = [];
  #firstWords = '';
  #flooded = false;

  /** Throws for arguments that the system does not take; that there is no such program is told by {@link explain}. */
  constructor({ command: [program = '', ...args], cwd, env, onStderr }: Start) {
    this.#program = program;
    this.#child = spawn(program, args, { cwd, env: environment(env), detached: true, stdio: 'pipe' });
    this.#ended = this.#end();
    // It may end before it has read everything; that it ended is known by other means.
    this.#child.stdin.on('error', () => {});
    this.#hear(onStderr);
    const output = Readable.toWeb(this.#child.stdout) as ReadableStream<Uint8Array>;
    this.stream = ndJsonStream(
      Writable.toWeb(this.#child.stdin) as WritableStream<Uint8Array>,
      output.pipeThrough(this.#bounded()),
      { maxMessageBytes: mostMessageBytes },
    );
  }

  /** What went wrong, from the side of the process if it has ended; else what was thrown. */
  async explain(thrown: unknown): Promise<Error> {
    if (this.#flooded) return new Error(`${this.#program} said more than ${mostBytes} bytes`);
    const end = await Promise.race([this.#ended, sleep(settleMs, null, { ref: false })]);
    if (end === null) return new Error(`${this.#program}: ${messageOf(thrown)}`, { cause: thrown });
    const stray = this.#firstWords.trim().startsWith('{') ? '' : shortened(this.#firstWords.trim(), 200);
    const words = [stray, ...this.#lastWords].filter((line) => line !== '');
    return new Error([`${this.#program} ${end}`, ...words].join(': '), { cause: thrown });
  }

  /** Ends it and everything in its group: asked first, forced after the grace period. Never throws. */
  async stop(): Promise<void> {
    if (this.#signal('SIGTERM') && !(await this.#gone())) this.#signal('SIGKILL');
    await this.#ended;
    // Somebody who left the group may still hold the other ends.
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe.destroy();
  }

  async #end(): Promise<string> {
    try {
      const [code, signal] = (await once(this.#child, 'exit')) as [number | null, string | null];
      return signal === null ? `exited with ${code} before it was done` : `was ended by ${signal}`;
    } catch (error) {
      return `could not be started: ${messageOf(error)}`;
    }
  }

  #hear(onStderr: (line: string) => void): void {
    const lines = new Lines((line) => {
      this.#lastWords = [...this.#lastWords.slice(-2), shortened(line, 200)];
      onStderr(line);
    });
    this.#child.stderr.setEncoding('utf8');
    this.#child.stderr.on('data', (text: string) => lines.push(text));
    this.#child.stderr.on('end', () => lines.end());
  }

  #bounded(): TransformStream<Uint8Array, Uint8Array> {
    let bytes = 0;
    return new TransformStream({
      transform: (chunk, controller) => {
        if (bytes === 0) this.#firstWords = new TextDecoder().decode(chunk.subarray(0, 256));
        bytes += chunk.byteLength;
        this.#flooded = bytes > mostBytes;
        if (this.#flooded) controller.error(new Error('it said too much'));
        else controller.enqueue(chunk);
      },
    });
  }

  /** Whether there was anybody to signal. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#child.pid === undefined) return false;
    try {
      return process.kill(-this.#child.pid, signal);
    } catch {
      return false;
    }
  }

  async #gone(): Promise<boolean> {
    const until = performance.now() + graceMs;
    while (performance.now() < until) {
      if (!this.#signal(0)) return true;
      await sleep(lookEveryMs);
    }
    return false;
  }
}

function environment(named: readonly string[]): Record<string, string> {
  const entries = [...baseEnvironment, ...named].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}
