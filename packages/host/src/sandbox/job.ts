/** A program to run once, and all it gets to see. */
export interface Job {
  /** A path, or a name to be found on the PATH of `env`, and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** All of its environment, but for TMPDIR and what `files` adds: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** JSON texts by variable: each is written to a private file that is removed afterwards; the variable gets its path. */
  readonly files?: Readonly<Record<string, string>>;
  /** @default nothing: it reads the end at once */
  readonly stdin?: string;
  /** What it cannot change, remove or replace, where there are namespaces; what is not there is left out. */
  readonly readOnly?: readonly string[];
  /** What it can change all the same, in folders that are read-only. */
  readonly writable?: readonly string[];
  /** Files that it finds empty, where there are namespaces; what is not there is left out. */
  readonly hidden?: readonly string[];
  /**
   * `own`: it is bubblewrap itself, or becomes it, and makes the namespace that the job runs in. `none`: it only asks another program to run
   * something, and can do so in no namespace. What is read-only, writable or hidden there is for it to see to.
   * @default it is put into one, where there are namespaces
   */
  readonly namespace?: 'own' | 'none';
  /** Ends what it had another program run, by the same environment, where it is ended before it has done so itself. */
  readonly after?: readonly string[];
  readonly timeoutMs: number;
  /** It is ended if it prints nothing for so long. @default it may be silent */
  readonly silenceMs?: number;
  /** Between SIGTERM and SIGKILL. @default 2000 */
  readonly graceMs?: number;
}

/** What a process printed: valid UTF-8 of 64 KiB at the most, the middle left out where it was more. */
export interface Captured {
  readonly text: string;
  /** How much it printed in all. */
  readonly bytes: number;
}

/**
 * How a job is followed while it runs. `watch`: what it prints is told as it comes; of what is too much at a time, the
 * beginning and the end. `talk`: its errors are told in the same way; all of its output, which waits until it is taken; and
 * it reads what it is written, not `stdin`.
 */
export type Following = 'watch' | 'talk';

/** What a process prints with. */
export type StreamName = 'stdout' | 'stderr';

/** Something that a process has just printed. Where it was too much, a line says how many bytes were left out. */
export interface Output {
  readonly stream: StreamName;
  readonly text: string;
}

/** How a job ended. Exactly one of `exitCode` and `signal` is set, unless it never ran. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** It was ended because its time was over; it may have exited well all the same. */
  readonly timedOut: boolean;
  /** It was ended because it printed nothing for too long. */
  readonly silent: boolean;
  /** It was ended because the caller no longer wanted it. */
  readonly aborted: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
}

/** How much of what a job starts can be found again: all of it, or what stays in its process group. */
export type Confinement = 'namespace' | 'group';

/** Time between SIGTERM and SIGKILL where a job says nothing. */
export const usualGraceMs = 2_000;
