/** What a command is given. */
export interface Input {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Where to look for the project. */
  readonly cwd: string;
  /** Whether the output goes to a program. */
  readonly json: boolean;
  readonly version: string;
  /** Tells people how it goes; nothing of it reaches programs. */
  readonly progress: (line: string) => void;
  /** Aborted when the user ends the command. */
  readonly signal: AbortSignal;
}

/** What a command comes to. */
export interface Output {
  /** What `--json` prints. */
  readonly json: unknown;
  /** What people read. */
  readonly text: string;
  /** @default 0 */
  readonly exitCode?: number;
}

/** What a command comes to that tells one thing after the other: `--json` prints each on a line of its own. */
export interface Stream {
  readonly lines: AsyncIterable<Output>;
}

/** A command, in its own file, loaded when it is called. */
export type Run = (input: Input) => Output | Stream | Promise<Output | Stream>;

/** How a command is called. */
export interface Command {
  /** Its words, then its arguments as commander takes them: `hooks explain <event>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** A call that works, for `--help`. */
  readonly example: string;
  readonly load: () => Promise<{ readonly run: Run }>;
}
