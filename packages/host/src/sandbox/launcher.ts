import { tmpdir } from 'node:os';
import { PatchbayError } from 'patchbay-sdk';
import { findBubblewrap, findProgram } from './bubblewrap.ts';
import { Conversation } from './conversation.ts';
import { Heard } from './heard.ts';
import type { Confinement, Ended, Job, Output } from './job.ts';
import { memoryDir } from './launch/folder.ts';
import { folderPrefix, sweepFolders } from './launch/sweep.ts';
import { type Ear, LauncherProcess } from './launcher-process.ts';

export type { Conversation } from './conversation.ts';
export type { Captured, Confinement, Ended, Job, Output } from './job.ts';

export interface LauncherOptions {
  /** Root of the project: by it a later host knows what this one may have left. */
  readonly project: string;
  /** Where the jobs' private folders are made. @default os.tmpdir() */
  readonly tempDir?: string;
  /** `off`: process groups only, even where namespaces work. @default 'auto' */
  readonly namespace?: 'auto' | 'off';
}

/**
 * Runs programs so that they cannot hurt: with what they are given and nothing else, for as long as they may, and
 * with nothing left of them afterwards. A small process does it, started at the first job and again if it dies; if
 * the host dies, it ends all that runs.
 */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #adopted = new Set<number>();
  #process: LauncherProcess | undefined;
  #jobs = 0;
  #closed = false;
  /** What a dead launcher process has left is being removed. */
  #tidying: Promise<unknown> = Promise.resolve();

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /**
   * Runs a job to its end, whatever that is, and then settles: by then nothing of it is left. Aborting ends the job as
   * its deadline does. What it prints is told to `hear` as it comes, if that is given; that must not throw. Rejects with
   * HANDLER_START if it cannot be started, with HANDLER_FAILED if the launcher process dies meanwhile or was closed.
   */
  async run(job: Job, signal?: AbortSignal, hear?: (output: Output) => void): Promise<Ended> {
    if (signal?.aborted) return neverRan;
    const launcher = this.#started();
    const id = ++this.#jobs;
    const abort = () => launcher.tell({ stop: id });
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await (hear === undefined ? launcher.run(id, job) : watched(launcher, id, job, hear));
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * Starts a job that is talked with; `onStderr` hears its errors as they come, and must not throw. Resolves when it runs,
   * rejects as `run` does. It is ended by its deadline or by `stop`.
   */
  async converse(job: Job, onStderr: (text: string) => void): Promise<Conversation> {
    const conversation = new Conversation(++this.#jobs, job, this.#started(), onStderr);
    await conversation.begun;
    return conversation;
  }

  /** Has a process group that the host started by itself killed if the host dies or closes this. Throws if it is closed. */
  adopt(group: number): void {
    this.#adopted.add(group);
    this.#started().tell({ adopt: group });
  }

  /** An adopted group has ended. */
  release(group: number): void {
    this.#adopted.delete(group);
    this.#process?.tell({ release: group });
  }

  /** What this system allows; starts the launcher process. */
  confinement(): Promise<Confinement> {
    const launcher = this.#started();
    return launcher.hold(launcher.ready);
  }

  /** Kills what runs (those jobs settle as aborted) and settles when all is gone. Nothing runs after it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#process?.close();
    await this.#tidying;
  }

  /** Removes what killed hosts of the same project have left; gives the number of jobs that left something. */
  static async sweep({ project, tempDir = tmpdir() }: Pick<LauncherOptions, 'project' | 'tempDir'>): Promise<number> {
    const prefix = folderPrefix(project);
    const jobs = await sweepFolders(tempDir, prefix);
    const memory = memoryDir();
    if (memory !== undefined) await sweepFolders(memory, prefix);
    return jobs;
  }

  #started(): LauncherProcess {
    if (this.#closed) {
      const hint = 'Start the host again; what is owed is delivered then.';
      throw new PatchbayError('HANDLER_FAILED', 'the host is closing: no more scripts are started', { hint });
    }
    this.#process ??= this.#start();
    return this.#process;
  }

  #start(): LauncherProcess {
    const { project, tempDir = tmpdir(), namespace = 'auto' } = this.#options;
    const bwrap = namespace === 'off' ? undefined : findBubblewrap();
    const mkfifo = process.platform === 'linux' ? findProgram('mkfifo') : undefined;
    const args = [tempDir, folderPrefix(project), mkfifo ?? '', bwrap ?? ''];
    const started = new LauncherProcess(args, (wasReady) => {
      if (this.#process !== started) return;
      this.#process = undefined;
      this.#tidying = Launcher.sweep(this.#options);
      // Adopted groups want a guard at all times; but one that cannot even start is not tried for ever.
      if (wasReady && this.#adopted.size > 0 && !this.#closed) this.#started();
    });
    for (const group of this.#adopted) started.tell({ adopt: group });
    return started;
  }
}

/** Runs a job whose output is told as it comes. */
async function watched(
  launcher: LauncherProcess,
  id: number,
  job: Job,
  hear: (output: Output) => void,
): Promise<Ended> {
  const heard = new Heard();
  const ear: Ear = {
    follow: 'watch',
    started: () => undefined,
    written: () => undefined,
    output: (piece) => hear({ stream: piece.stream, text: heard.textOf(piece) }),
  };
  const ended = await launcher.run(id, job, ear);
  for (const output of heard.rest()) hear(output);
  return ended;
}

const nothing = { text: '', bytes: 0 };
const neverRan: Ended = {
  exitCode: null,
  signal: null,
  timedOut: false,
  silent: false,
  aborted: true,
  stdout: nothing,
  stderr: nothing,
  durationMs: 0,
};
