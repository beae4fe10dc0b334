import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type Ended, type Job, usualGraceMs } from '../job.ts';
import { clearUp } from './after.ts';
import { type Cage, groupCage, inNamespace, namespaceCage, ownNamespace, safeFor } from './cage.ts';
import { type FolderPlace, JobFolders } from './job-folders.ts';
import { type Listener, Live } from './live.ts';
import type { Pipes } from './pipes.ts';
import { CannotStart, faultOf, programOf } from './preflight.ts';
import { Status } from './status.ts';
import { Streams } from './streams.ts';

/** How long what was printed last may take to arrive once the process has ended. */
const drainMs = 250;

/** Of two names for one number the first counts: SIGABRT, not SIGIOT. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

/** Why a job was ended before it did so by itself. */
type Reason = 'deadline' | 'silence' | 'abort';

/** Where jobs run. */
export interface Place extends FolderPlace {
  /** What their streams are made of. */
  readonly pipes: Pipes;
  /** Bubblewrap, where it works. */
  readonly bwrap: string | undefined;
}

/** What is started for a job. */
interface Command {
  readonly argv: readonly string[];
  /** Whether it is bubblewrap, which tells of the job in it on 3. */
  readonly tells: boolean;
}

/** One job, from its start to when nothing is left of it. */
export class Running {
  /** The process group to kill should this process be killed itself. */
  readonly group: number;
  /** Settles when all it started has ended and its folder is gone. Rejects with CannotStart. */
  readonly ended: Promise<Ended>;
  readonly #job: Job;
  readonly #program: string;
  readonly #child: ChildProcess;
  readonly #cage: Cage;
  readonly #status: Status | undefined;
  readonly #streams: Streams;
  readonly #live: Live | undefined;
  readonly #began = performance.now();
  #why: Reason | undefined;
  #timer: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;

  /** Starts it. What is told while it runs goes to `listener`, if there is one. Throws CannotStart. */
  constructor(job: Job, place: Place, listener?: Listener) {
    this.#job = job;
    this.#program = programOf(job);
    const { pipes } = place;
    const command = commandFor(job, this.#program, place.bwrap);
    let folders: JobFolders | undefined;
    let streams: Streams | undefined;
    let status: Status | undefined;
    try {
      folders = new JobFolders(place);
      const env = { ...job.env, ...folders.give(job.files ?? {}), TMPDIR: folders.tmp };
      const input = job.stdin === undefined ? undefined : folders.put('stdin', job.stdin);
      streams = new Streams(pipes, input, listener?.follow === 'talk');
      status = command.tells ? new Status(folders) : undefined;
      this.#child = this.#spawn(command, env, [...streams.stdio, ...(status === undefined ? [] : [status.file])]);
    } catch (error) {
      streams?.discard();
      status?.close();
      folders?.remove();
      throw this.#cannotStart(error);
    }
    streams.attach(this.#child);
    this.#streams = streams;
    this.#live = listener === undefined ? undefined : new Live(streams.reading, listener);
    this.group = this.#child.pid ?? 0;
    this.#status = status;
    this.#cage = status === undefined ? groupCage(this.group) : namespaceCage(this.group, () => status.first);
    this.#timer = setTimeout(() => this.#stop('deadline'), job.timeoutMs);
    if (job.silenceMs !== undefined) this.#limitSilence(job.silenceMs);
    this.ended = this.#watch().finally(() => {
      status?.close();
      return folders.remove();
    });
  }

  /** Has it ended as if its time were over. */
  abort(): void {
    this.#stop('abort');
  }

  /** Ends it at once. */
  kill(): void {
    this.#why ??= 'abort';
    this.#cage.kill();
  }

  /** Has it read something, if it talks; resolves when it can take more, or never will. */
  write(bytes: Buffer): Promise<void> {
    const { writing } = this.#streams;
    return new Promise((resolve) => (writing === undefined ? resolve() : writing.write(bytes, () => resolve())));
  }

  /** There is no more for it to read. */
  endInput(): void {
    this.#streams.writing?.end();
  }

  /** So many bytes of its output have been taken, if it talks. */
  taken(count: number): void {
    this.#live?.taken(count);
  }

  #spawn({ argv, tells }: Command, env: Record<string, string>, stdio: StdioOptions): ChildProcess {
    const [command = '', ...args] = argv;
    return spawn(command, args, { cwd: this.#job.cwd, env: tells ? safeFor(env) : env, detached: true, stdio });
  }

  async #watch(): Promise<Ended> {
    const [code, signal] = await once(this.#child, 'exit').catch((error) => {
      clearTimeout(this.#timer);
      clearTimeout(this.#silence);
      throw this.#cannotStart(error);
    });
    const durationMs = performance.now() - this.#began;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#live?.free();
    this.#cage.killRest();
    // Most often they have by now.
    if (!this.#streams.haveEnded) await within(drainMs, this.#streams.ended());
    this.#streams.destroy();
    this.#live?.end();
    await this.#cage.gone();
    if (this.#why !== undefined || signal !== null) await clearUp(this.#job);
    return { ...this.#exitOf(code, signal), ...this.#rest(), durationMs };
  }

  #rest() {
    return {
      timedOut: this.#why === 'deadline',
      silent: this.#why === 'silence',
      aborted: this.#why === 'abort',
      stdout: this.#streams.stdout.captured(),
      stderr: this.#streams.stderr.captured(),
    };
  }

  #exitOf(code: number | null, signal: NodeJS.Signals | null): Pick<Ended, 'exitCode' | 'signal'> {
    if (this.#status === undefined || code === null) return { exitCode: code, signal };
    if (!this.#status.hasEnded && this.#why === undefined) {
      throw this.#cannotStart(this.#streams.stderr.captured().text.trim());
    }
    // Bubblewrap, like a shell, tells a death by signal n as 128 + n.
    const name = signalNames.get(code - 128);
    return name === undefined ? { exitCode: code, signal: null } : { exitCode: null, signal: name };
  }

  #limitSilence(ms: number): void {
    const timer = setTimeout(() => this.#stop('silence'), ms);
    this.#silence = timer;
    for (const stream of this.#streams.reading) stream.on('data', () => timer.refresh());
  }

  #stop(why: Reason): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#timer = setTimeout(() => this.#cage.kill(), this.#job.graceMs ?? usualGraceMs);
    this.#cage.terminate();
  }

  #cannotStart(cause: unknown): CannotStart {
    const fault = faultOf(this.#job);
    if (fault !== undefined) return fault;
    const message = `${this.#program} could not be started: ${cause instanceof Error ? cause.message : cause}`;
    return new CannotStart({ file: this.#program, message, hint: 'See what the system says about it.' });
  }
}

function commandFor(job: Job, program: string, bwrap: string | undefined): Command {
  const own = [program, ...job.argv.slice(1)];
  if (job.namespace === 'own') return { argv: ownNamespace(own), tells: true };
  if (job.namespace === 'none' || bwrap === undefined) return { argv: own, tells: false };
  return { argv: inNamespace(bwrap, job, own), tells: true };
}

/** Waits for something, not longer than so many milliseconds; what has come by then is taken, however busy the machine. */
async function within(ms: number, done: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => setImmediate(late.resolve), ms);
  await Promise.race([done, late.promise]);
  clearTimeout(timer);
}
