import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { messageOf } from 'patchbay-sdk';
import { workspaceFailed } from './failure.ts';

/** Settings by name. */
export type GitSettings = Readonly<Record<string, string>>;

/** Where and how a git command runs. */
export interface GitCall {
  readonly cwd: string;
  /** Its git folder. @default the one found from `cwd` */
  readonly gitDir?: string;
  /** @default `cwd` where `gitDir` is given */
  readonly workTree?: string;
  readonly settings?: GitSettings;
  /** Reads the user's settings, and sets none: only for commands that cannot run what those name. @default false */
  readonly userSettings?: boolean;
  readonly stdin?: string;
  /** A file to read instead. */
  readonly stdinFile?: string;
  /**
   * How much of its output is wanted, in bytes; then it is ended. @default 256 MiB, and it is an error if there is more
   */
  readonly cutAt?: number;
  /** Who commits. @default Patchbay */
  readonly author?: { readonly name: string; readonly email: string };
}

/** How a git command ended. */
export interface GitAnswer {
  /** Its exit code; -1 if it was ended because of `cutAt`. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const outputLimit = 256 * 1024 * 1024;
// What an agent leaves can block git for ever, a pipe in place of a file for example.
const deadlineMs = 300_000;
const host = { name: 'Patchbay', email: 'patchbay@localhost' };
const inherited = ['PATH', 'HOME', 'USER', 'TMPDIR', 'XDG_CONFIG_HOME', 'SystemRoot', 'USERPROFILE', 'APPDATA'];
const always: GitSettings = {
  'advice.detachedHead': 'false',
  'core.attributesFile': devNull,
  'core.autocrlf': 'false',
  'core.fsmonitor': 'false',
  // What is in a mirror need not outlive the power.
  'core.fsync': 'none',
  'core.hooksPath': devNull,
  'core.splitIndex': 'false',
  'core.symlinks': 'true',
  'core.untrackedCache': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
};

/** For what must be there after a power failure: accepted work. */
export const durable: GitSettings = { 'core.fsync': 'committed,loose-object', 'core.fsyncMethod': 'batch' };

/** Runs git; gives what it printed. Rejects with WORKSPACE_FAILED if it fails. */
export async function git(args: readonly string[], call: GitCall): Promise<string> {
  const answer = await tryGit(args, call);
  if (answer.code !== 0) throw gitFailed(args, answer.stderr);
  return answer.stdout;
}

/** The error for a git command that failed. */
export function gitFailed(args: readonly string[], stderr: string) {
  return workspaceFailed(`git ${args[0]} failed: ${problemIn(stderr)}`);
}

/**
 * Runs git without a shell, without network, hooks, monitors and questions, and with no settings but the given ones
 * and those of `gitDir`. Rejects with WORKSPACE_FAILED if it cannot be started, prints too much or does not end.
 */
export function tryGit(args: readonly string[], call: GitCall): Promise<GitAnswer> {
  const { cwd, gitDir, workTree = cwd, stdin, stdinFile, cutAt } = call;
  const place = gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${workTree}`];
  const input = stdinFile === undefined ? undefined : openSync(stdinFile, 'r');
  const child = spawn('git', [...place, '--literal-pathspecs', ...args], {
    cwd,
    env: environment(call),
    stdio: [input ?? (stdin === undefined ? 'ignore' : 'pipe'), 'pipe', 'pipe'],
  });
  if (input !== undefined) closeSync(input);
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    let [bytes, stderr] = [0, ''];
    let problem: string | undefined;
    const end = (why: string) => {
      problem = why;
      child.kill('SIGKILL');
    };
    const deadline = setTimeout(() => end(`did not end within ${deadlineMs / 60_000} minutes`), deadlineMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      out.push(chunk);
      bytes += chunk.length;
      if (cutAt !== undefined && bytes > cutAt) child.kill('SIGKILL');
      else if (bytes > outputLimit) end('printed too much');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-65_536);
    });
    child.stdin?.on('error', () => {}); // It ended before it had read all; its exit code says more.
    child.stdin?.end(stdin);
    child.on('error', (cause) => {
      clearTimeout(deadline);
      const hint = 'Install git, version 2.38 or newer, and have it on the PATH.';
      reject(workspaceFailed(`git could not be started: ${messageOf(cause)}`, { hint, cause }));
    });
    child.on('close', (code) => {
      clearTimeout(deadline);
      if (problem !== undefined) reject(workspaceFailed(`git ${args[0]} ${problem}`, { file: cwd }));
      else resolve({ code: code ?? -1, stdout: Buffer.concat(out).toString(), stderr });
    });
  });
}

function environment({ settings, userSettings, author = host }: GitCall): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const name of inherited) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  // By the environment and not by arguments: a name may contain anything.
  const entries = userSettings ? [] : Object.entries({ ...always, ...settings });
  for (const [at, [key, value]] of entries.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return {
    ...env,
    ...(userSettings ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull }),
    GIT_CONFIG_COUNT: `${entries.length}`,
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_NAME: author.name,
    GIT_COMMITTER_EMAIL: host.email,
    GIT_COMMITTER_NAME: host.name,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

function problemIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /^(?:fatal|error):/.test(one)) ?? lines.at(-1) ?? 'it did not say why';
  return line.replace(/^(?:fatal|error): /, '');
}
