import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerRuntime, ContainerSpec } from 'patchbay-sdk';
import { ask, find } from './ask.ts';
import { marked, markFlags } from './marked.ts';
import { hasScopes, scopeFor } from './scope.ts';
import { systemFlags } from './system.ts';

const base = ['--die-with-parent', '--new-session', '--unshare-all', '--cap-drop', 'ALL'];
/**
 * What bubblewrap, or what puts it into a group, would heed itself, outside: whoever chose it for the program must not choose it
 * for them.
 */
const heeded = /^(?:LD_|GLIBC_|MALLOC_|GCONV_PATH$|LOCPATH$|NLSPATH$|XDG_RUNTIME_DIR$|DBUS_|SYSTEMD_)/;
const goneMs = 5_000;
const lookMs = 20;

/** Bubblewrap: namespaces of Linux around the system of the host, without a service or an image. */
export const bubblewrap: ContainerRuntime = {
  name: 'bubblewrap',
  cli: 'bwrap',
  isAvailable: async () => (await trouble()) === undefined,
  ensureRunning: async () => {
    const what = await trouble();
    if (what !== undefined) throw new Error(what);
  },
  listRunningContainers: (prefix) => [...marked().keys()].filter((name) => name.startsWith(prefix)).sort(),
  command: async (spec) => {
    const scope = await scopeFor(spec);
    const program = scope === undefined ? limited(spec) : spec.argv;
    const own = [programOrThrow(), ...flagsFor(spec), ...(scope?.unset ?? []), ...apart(spec.env), '--', ...program];
    const safe = Object.entries(spec.env).filter(([name]) => !heeded.test(name));
    return { argv: [...(scope?.argv ?? []), ...own], env: { ...Object.fromEntries(safe), ...scope?.env } };
  },
  remove: async (name) => {
    const end = Date.now() + goneMs;
    for (let left = marked().get(name); left !== undefined; left = marked().get(name)) {
      if (Date.now() > end) throw new Error(`bubblewrap: ${name} does not end`);
      left.forEach(kill);
      await sleep(lookMs);
    }
  },
  limits: async () => {
    if (await hasScopes()) return { cpus: true, memoryMb: true, pids: true };
    return { cpus: false, memoryMb: canLimit(), pids: canLimit() && !isRoot() };
  },
};

/** Why it cannot be used here, and what to do; undefined if it can. */
async function trouble(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'bubblewrap is there on Linux only';
  const program = find('bwrap');
  if (program === undefined) {
    return 'bubblewrap is not installed: there is no command "bwrap". On Debian: apt-get install bubblewrap';
  }
  const { exit, problem } = await ask(program, [...base, ...systemFlags(), '--', program, '--version']);
  if (exit === 0) return undefined;
  const hint =
    'Allow namespaces of users (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)';
  return `bubblewrap cannot make a namespace here: ${problem}. ${hint}, or name another runtime`;
}

function programOrThrow(): string {
  const program = find('bwrap');
  if (program === undefined) throw new Error('bubblewrap is not installed: there is no command "bwrap"');
  return program;
}

function flagsFor({ name, image, network, env, mounts, cwd }: ContainerSpec): string[] {
  if (image !== undefined) throw new Error(`bubblewrap runs no images, but "${image}" is named; podman and docker do`);
  const home = env['HOME'];
  return [
    ...base,
    ...(network === 'host' ? ['--share-net'] : []),
    ...systemFlags(),
    ...(home !== undefined && isAbsolute(home) && home !== '/' ? ['--tmpfs', home] : []),
    ...mounts.flatMap(({ from, to, readOnly }) => [readOnly ? '--ro-bind' : '--bind', from, to]),
    // Whoever starts it may have named a folder that is not there inside.
    ...['--setenv', 'TMPDIR', '/tmp', ...markFlags(name), '--chdir', cwd],
  ];
}

/** The arguments that give a program the variables which nobody but it may heed. */
function apart(env: ContainerSpec['env']): string[] {
  const entries = Object.entries(env).filter(([name]) => heeded.test(name));
  return entries.flatMap(([name, value]) => ['--setenv', name, value]);
}

/** So much Node.js sets aside without using it; it would not even start with less. */
const setAsideMb = 640;

/**
 * The program within its limits, as far as the system keeps them without a group of its own: how much one process may write
 * to, and how many a user may have in this namespace.
 */
function limited({ argv, limits }: ContainerSpec): readonly string[] {
  if (!canLimit()) return argv;
  const { memoryMb, pids } = limits;
  const flags = [
    ...(memoryMb === undefined ? [] : [`--data=${Math.ceil(memoryMb + setAsideMb) * 1024 * 1024}`]),
    ...(pids === undefined || isRoot() ? [] : [`--nproc=${pids}`]),
  ];
  return flags.length === 0 ? argv : ['prlimit', ...flags, '--', ...argv];
}

function canLimit(): boolean {
  return find('prlimit') !== undefined;
}

/** Nobody counts the processes of root. */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
