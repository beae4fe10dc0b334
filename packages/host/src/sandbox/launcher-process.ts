import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { PatchbayError } from 'patchbay-sdk';
import { entryFile, entryFlags } from './entry.ts';
import { type Confinement, type Ended, type Following, type Job, usualGraceMs } from './job.ts';
import { signalTo } from './launch/proc.ts';
import { eachLine, type FromLauncher, type Piece, type Refusal, type ToLauncher } from './wire.ts';

/** A launcher process that has not answered so long after the time of a job was over never will. */
const hungMs = 10_000;
/** How long it may take to end all that runs, and itself. */
const closeMs = 10_000;
const stderrChars = 2_000;

/** Who hears of a job while it runs. */
export interface Ear {
  readonly follow: Following;
  /** It runs. */
  started(): void;
  /** It has printed something. */
  output(piece: Piece): void;
  /** What it was written last is on its way to it. */
  written(): void;
}

interface Pending {
  readonly job: Job;
  readonly ear: Ear | undefined;
  /** Its process group, once it runs. */
  group: number;
  readonly watchdog: NodeJS.Timeout;
  readonly resolve: (how: Ended) => void;
  readonly reject: (error: PatchbayError) => void;
}

/** One life of the launcher process, seen from the host, with the jobs it was given. */
export class LauncherProcess {
  /** Rejects if it dies before it is ready. */
  readonly ready: Promise<Confinement>;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #isReady = Promise.withResolvers<Confinement>();
  readonly #ended = Promise.withResolvers<void>();
  #wasReady = false;
  #lastWords = '';
  #holds = 0;

  /** `args` are those of launcher-main.ts; `onEnd` is called before anybody else learns of its end. */
  constructor(args: readonly string[], onEnd: (wasReady: boolean) => void) {
    this.ready = this.#isReady.promise;
    // It is no failure if nobody asks.
    this.ready.catch(() => undefined);
    // Small, and with one thread beside its own: all it has is copied whenever it starts a job. No threads are not to be had: 0
    // means as many as the machine is good for.
    const flags = [...entryFlags, '--max-old-space-size=64', '--max-semi-space-size=1', '--v8-pool-size=1'];
    // Detached: Ctrl-C is for the host, which decides what becomes of its jobs.
    this.#child = spawn(process.execPath, [...flags, entryFile('launcher-main'), ...args], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: 'pipe',
    });
    this.#child.on('error', (error) => this.#end(error.message, onEnd));
    // Not `exit`: its last words about jobs are heard first.
    this.#child.on('close', (code, signal) => this.#end(signal ?? `exit code ${code}`, onEnd));
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#lastWords = (this.#lastWords + text).slice(-stderrChars);
    });
    if (this.#child.stdout !== null) eachLine(this.#child.stdout, (line) => this.#heed(JSON.parse(line)));
    this.#keepHostAlive(false);
  }

  tell(message: ToLauncher): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Keeps the host alive until the promise has settled. */
  async hold<T>(promise: Promise<T>): Promise<T> {
    if (this.#holds++ === 0) this.#keepHostAlive(true);
    try {
      return await promise;
    } finally {
      if (--this.#holds === 0) this.#keepHostAlive(false);
    }
  }

  /** Rejects with HANDLER_START, or with HANDLER_FAILED if this process ends first. */
  run(id: number, job: Job, ear?: Ear): Promise<Ended> {
    const { promise, resolve, reject } = Promise.withResolvers<Ended>();
    const watchdog = setTimeout(() => this.kill(), job.timeoutMs + (job.graceMs ?? usualGraceMs) + hungMs).unref();
    this.#pending.set(id, { job, ear, group: 0, watchdog, resolve, reject });
    this.tell({ run: id, job, follow: ear?.follow });
    return this.hold(promise);
  }

  /** Ends all that runs, then itself. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    const late = setTimeout(() => this.kill(), closeMs);
    await this.hold(this.#ended.promise);
    clearTimeout(late);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #heed(message: FromLauncher): void {
    if ('ready' in message) {
      this.#wasReady = true;
      this.#isReady.resolve(message.ready);
    } else if ('started' in message) {
      const pending = this.#pending.get(message.started);
      if (pending !== undefined) pending.group = message.group;
      pending?.ear?.started();
    } else if ('output' in message) this.#pending.get(message.output)?.ear?.output(message.piece);
    else if ('written' in message) this.#pending.get(message.written)?.ear?.written();
    else if ('ended' in message) this.#settle(message.ended)?.resolve(message.how);
    else this.#settle(message.refused)?.reject(cannotStart(message.why));
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    clearTimeout(pending?.watchdog);
    this.#pending.delete(id);
    return pending;
  }

  #end(how: string, onEnd: (wasReady: boolean) => void): void {
    onEnd(this.#wasReady);
    for (const [id, { job, group, reject }] of this.#pending) {
      this.#settle(id);
      signalTo(-group, 'SIGKILL');
      reject(lost(job.argv[0], how, this.#lastWords));
    }
    this.#isReady.reject(lost(undefined, how, this.#lastWords));
    this.#ended.resolve();
  }

  #keepHostAlive(alive: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const part of [this.#child, stdin, stdout, stderr] as (Socket | null)[]) {
      if (alive) part?.ref();
      else part?.unref();
    }
  }
}

function cannotStart({ message, hint, file }: Refusal): PatchbayError {
  return new PatchbayError('HANDLER_START', message, { hint, file });
}

function lost(program: string | undefined, how: string, lastWords: string): PatchbayError {
  const said = lastWords === '' ? '' : `; it said: ${lastWords.trim()}`;
  const message = `the process that starts scripts has ended (${how}) before ${program ?? 'it'} was done${said}`;
  return new PatchbayError('HANDLER_FAILED', message, { file: program, hint: 'Try again: it is started anew.' });
}
