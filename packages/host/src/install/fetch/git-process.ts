import { spawn } from 'node:child_process';
import { devNull } from 'node:os';

/** How a git command ended. */
export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  /** Whether it was stopped because it did not stop writing. */
  readonly tooMuch: boolean;
  /** The first line in which git says what is wrong. */
  readonly problem: string;
}

/** What a git command may do. */
export interface GitOptions {
  readonly cwd: string;
  /** The protocols it may use, as `GIT_ALLOW_PROTOCOL` wants them; none for work on this machine. */
  readonly protocols?: string;
  readonly signal: AbortSignal;
}

const outputLimit = 16 * 1024 * 1024;
// What is needed to reach a server: programs, keys, proxies, certificates. Nothing that tells git what to do.
const inherited = [
  ...['PATH', 'HOME', 'USER', 'TMPDIR', 'SSH_AUTH_SOCK', 'SystemRoot', 'USERPROFILE', 'APPDATA'],
  ...['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO'],
];
const settings = {
  'core.hooksPath': devNull,
  'core.attributesFile': devNull,
  'core.fsmonitor': 'false',
  'core.autocrlf': 'false',
  'core.symlinks': 'true',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  'advice.detachedHead': 'false',
};

/**
 * Runs git without a shell, without hooks, and without the system's configuration. The user's own is read for network
 * commands only: credentials and proxies are there, but what ends up in files must be the same for everybody.
 * It cannot ask questions. When the signal aborts, it and whatever it has started are killed, and the promise is rejected.
 */
export function git(args: readonly string[], { cwd, protocols, signal }: GitOptions): Promise<GitResult> {
  const config = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const child = spawn('git', [...config, ...args], {
    cwd,
    env: environment(protocols),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // A group of its own to kill, and no terminal for ssh to ask at.
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL'); // Where there are no groups, or it is gone already.
    }
  };
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', kill);
    if (signal.aborted) kill();
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > outputLimit) kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-8192);
    });
    const end = () => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason);
      const ok = child.exitCode === 0;
      resolve({ ok, stdout, tooMuch: stdout.length > outputLimit, problem: ok ? '' : problemIn(stderr) });
    };
    child.on('error', reject);
    child.on('close', end);
    // An ssh that stays for the next connection keeps the pipes open, though git is gone.
    child.on('exit', () => setTimeout(end, 500).unref());
  });
}

function environment(protocols: string | undefined): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const name of inherited) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  return {
    ...env,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_ALLOW_PROTOCOL: protocols ?? 'none',
    ...(protocols === undefined ? { GIT_CONFIG_GLOBAL: devNull } : {}),
  };
}

function problemIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /^(?:fatal|error|ERROR|ssh):/.test(one)) ?? lines.at(-1) ?? 'git failed';
  return line.replace(/^(?:fatal|error): /, '');
}
