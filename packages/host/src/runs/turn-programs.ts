import type { Program, ProgramEnd, ProgramOptions, TurnWork } from 'patchbay-sdk';
import type { Conversation, Ended, Job, Launcher } from '../sandbox/launcher.ts';
import { durationMs } from './template/duration.ts';

/** What the programs of a turn are run with. */
export interface TurnProgramsParts {
  readonly launcher: Launcher;
  /** The workspace. */
  readonly dir: string;
  /** The variables that they see. */
  readonly env: Readonly<Record<string, string>>;
  /** What they cannot touch. */
  readonly guard: Pick<Job, 'readOnly' | 'writable' | 'hidden'>;
  /** How long each may print nothing. @default for ever */
  readonly silenceMs: number | undefined;
  /** How long the turn may take from now on. */
  readonly timeoutMs: number;
  /** Aborted when the turn is over. */
  readonly signal: AbortSignal;
  /** Has the last word on how a program is run: where, and with what besides. @default as it is asked for */
  readonly prepare?: (job: Job) => Promise<Job>;
  /** One of them has printed something. */
  readonly printed: () => void;
  /** One of them has ended by itself, or because the turn is over. */
  readonly ended: (end: ProgramEnd) => void;
}

/** Once a turn is over, a core has so long to take leave of programs that it talks with. */
const leaveMs = 3_000;
/** It is the signal that ends programs when the time of the turn is over; should it not come, their own time does. */
const slackMs = 10_000;

/** The programs that a core runs in a turn: none of them outlives it. */
export class TurnPrograms {
  readonly #parts: TurnProgramsParts;
  readonly #until: number;
  readonly #over = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(parts: TurnProgramsParts) {
    this.#parts = parts;
    this.#until = performance.now() + parts.timeoutMs;
  }

  /** See `TurnWork.exec`. */
  exec(...[argv, options = {}]: Parameters<TurnWork['exec']>): Promise<ProgramEnd> {
    const { launcher, signal, printed, ended } = this.#parts;
    const { stdin, timeoutMs, onOutput } = options;
    const fault = new AbortController();
    const any = AbortSignal.any([signal, this.#over.signal, fault.signal]);
    const run = async () => {
      const job = { ...(await this.#job(argv, options, timeoutMs)), ...(stdin === undefined ? {} : { stdin }) };
      const how = await launcher.run(job, any, (output) => {
        printed();
        heedFault(fault, () => onOutput?.(output));
      });
      const end = this.#endOf(how);
      ended(end);
      fault.signal.throwIfAborted();
      return end;
    };
    return this.#kept(run());
  }

  /** See `TurnWork.spawn`. */
  async spawn(...[argv, options = {}]: Parameters<TurnWork['spawn']>): Promise<Program> {
    const { launcher, signal, printed, ended } = this.#parts;
    if (signal.aborted || this.#over.signal.aborted) throw new Error(`${argv[0]} is not started: the turn is over`);
    const fault = new AbortController();
    const job = await this.#job(argv, options);
    const conversation = await this.#kept(
      launcher.converse(job, (text) => {
        printed();
        heedFault(fault, () => options.onStderr?.(text));
      }),
    );
    const over = this.#kept(
      conversation.ended.then((how) => {
        const end = this.#endOf(how);
        // That it was ended when it had done its part says nothing about it.
        if (!how.aborted) ended(end);
        fault.signal.throwIfAborted();
        return end;
      }),
    );
    this.#endInTime(conversation, fault.signal);
    return programOf(conversation, over, printed);
  }

  /** Ends what the core has left running; resolves when nothing is left. Never rejects. */
  async close(): Promise<void> {
    this.#over.abort();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async #job(argv: readonly string[], { env }: ProgramOptions, timeoutMs = Number.POSITIVE_INFINITY): Promise<Job> {
    const { dir, guard, silenceMs = Number.POSITIVE_INFINITY, prepare, signal } = this.#parts;
    const mostMs = Math.min(timeoutMs, Math.max(0, this.#until - performance.now()) + slackMs);
    const job: Job = {
      argv,
      cwd: dir,
      env: { ...this.#parts.env, ...env },
      ...guard,
      ...(silenceMs < mostMs ? { silenceMs } : {}),
      timeoutMs: mostMs,
    };
    // One that is not started any more needs no place.
    const isOver = this.#over.signal.aborted || signal.aborted;
    return prepare === undefined || isOver ? job : prepare(job);
  }

  /** Ends it at once when the core is done or at fault; when the turn is over, after the core had time to. */
  #endInTime(conversation: Conversation, fault: AbortSignal): void {
    const { signal } = this.#parts;
    const now = AbortSignal.any([this.#over.signal, fault]);
    const stop = () => conversation.stop();
    const leave = () => setTimeout(stop, leaveMs).unref();
    signal.addEventListener('abort', leave, { once: true });
    now.addEventListener('abort', stop, { once: true });
    if (signal.aborted) leave();
    if (now.aborted) stop();
    const forget = () => signal.removeEventListener('abort', leave);
    conversation.ended.then(forget, forget);
  }

  #kept<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    const forget = () => void this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  #endOf({ exitCode, signal, timedOut, aborted, silent, stdout, stderr }: Ended): ProgramEnd {
    const timed_out = timedOut || (aborted && performance.now() >= this.#until);
    return { exit_code: exitCode, signal, timed_out, silent, stdout: stdout.text, stderr: stderr.text };
  }
}

/** Calls a function of a core, which may answer later: what goes wrong in it is the fault of the core, not of the host. */
function heedFault(fault: AbortController, call: () => unknown): void {
  (async () => call())().catch((error) => fault.abort(error));
}

function programOf(conversation: Conversation, over: Promise<ProgramEnd>, printed: () => void): Program {
  return {
    write: (text) => conversation.write(text),
    endInput: () => conversation.endInput(),
    read: async () => {
      const text = await conversation.read();
      if (text !== null) printed();
      return text;
    },
    stop: async () => {
      conversation.stop();
      await over.catch(() => undefined);
    },
    ended: () => over,
  };
}

/** How long the programs of a role may print nothing, by its settings; undefined if for ever. Throws if that is no duration. */
export function silenceOf({ silence }: Readonly<Record<string, unknown>>): number | undefined {
  if (silence === undefined) return undefined;
  const ms = typeof silence === 'string' ? durationMs(silence) : undefined;
  if (ms === undefined || ms === 0) {
    throw new Error(`the setting silence: ${JSON.stringify(silence)} is no length of time; write it as 30s or 5m`);
  }
  return ms;
}
