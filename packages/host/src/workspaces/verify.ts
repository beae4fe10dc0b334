import { constants } from 'node:os';
import type { Ended, Job, Launcher } from '../sandbox/launcher.ts';

/** How commands are run to see whether work holds. */
export interface VerifyOptions {
  /** Where: the workspace. */
  readonly dir: string;
  readonly launcher: Launcher;
  /** Variables beside PATH, HOME, LANG, TZ and TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  /** For each command. */
  readonly timeoutMs: number;
  /** What they cannot change: they run what agents wrote. @default nothing is kept from them */
  readonly guard?: Pick<Job, 'readOnly' | 'writable' | 'hidden'>;
  /** Ends what runs. */
  readonly signal?: AbortSignal | undefined;
  /** Gets what there is to be told, as it comes. */
  readonly log: (text: string) => void;
}

/** What came of the commands: the fields of a turn result, and what was printed. */
export interface Verification {
  /** `skipped` if there was nothing to run. */
  readonly status: 'pass' | 'fail' | 'skipped';
  readonly commands: string[];
  readonly machine_evidence: { command: string; exit_code: number }[];
  readonly outputs: readonly CommandOutput[];
}

/** The end of what a command printed. */
export interface CommandOutput {
  readonly command: string;
  readonly exit_code: number;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  /** Its last 4,000 characters, errors last. */
  readonly tail: string;
}

const base = ['PATH', 'HOME', 'LANG', 'TZ'];
const tailChars = 4_000;
/** What `timeout` exits with. */
const timedOutCode = 124;

/**
 * Runs commands by `sh -c`, one after the other, all of them; they hold if each exits with 0. One that is ended by a
 * signal counts as 128 and the signal's number, one whose time is over as 124. Rejects with the signal's reason if it
 * aborts, with HANDLER_START or HANDLER_FAILED if a command cannot be run at all.
 */
export async function verify(commands: readonly string[], options: VerifyOptions): Promise<Verification> {
  const outputs: CommandOutput[] = [];
  for (const command of commands) outputs.push(await run(command, options));
  const good = outputs.every(({ exit_code }) => exit_code === 0);
  return {
    status: commands.length === 0 ? 'skipped' : good ? 'pass' : 'fail',
    commands: [...commands],
    machine_evidence: outputs.map(({ command, exit_code }) => ({ command, exit_code })),
    outputs,
  };
}

async function run(command: string, options: VerifyOptions): Promise<CommandOutput> {
  const { dir, launcher, env, timeoutMs, guard, signal, log } = options;
  log(`$ ${command}\n`);
  const job = { argv: ['sh', '-c', command], cwd: dir, env: { ...inherited(), ...env }, timeoutMs, ...guard };
  const ended = await launcher.run(job, signal);
  signal?.throwIfAborted();
  const text = [ended.stdout.text, ended.stderr.text].filter((part) => part !== '').join('\n');
  const exit_code = exitCodeOf(ended);
  log(`${text}\n[${ended.timedOut ? `ended after ${timeoutMs} ms` : `exit code ${exit_code}`}]\n`);
  const tail = text.length > tailChars ? `…${text.slice(-tailChars)}` : text;
  return { command, exit_code, timed_out: ended.timedOut, duration_ms: ended.durationMs, tail };
}

function exitCodeOf({ exitCode, signal, timedOut }: Ended): number {
  if (timedOut) return timedOutCode;
  if (exitCode !== null) return exitCode;
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    base.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
