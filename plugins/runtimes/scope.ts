import type { ContainerSpec } from 'patchbay-sdk';
import { ask, find } from './ask.ts';

/** By what systemd of a user is found. */
const variables = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];
let answer: Promise<boolean> | undefined;

/** What puts a program into a group of its own, for which the kernel keeps limits. */
export interface Scope {
  /** Comes before the program, and becomes it. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The arguments of bubblewrap that hide this environment from the program in it. */
  readonly unset: readonly string[];
}

/** Whether systemd gives a program such a group here: one that all limits are kept for. Looked up once. */
export function hasScopes(): Promise<boolean> {
  answer ??= look();
  return answer;
}

/** Has `hasScopes` look again. */
export function forgetScopes(): void {
  answer = undefined;
}

async function look(): Promise<boolean> {
  const program = find('systemd-run');
  if (program === undefined) return false;
  const { exit, stdout } = await ask(program, [...opening(), '--', 'cat', '/proc/self/cgroup']);
  // Where there still are groups of the first kind, memory has one of its own, which is not a user's to make.
  return exit === 0 && /^0::\/.*\.scope/m.test(stdout) && !/^[1-9]\d*:[^:]*\bmemory\b/m.test(stdout);
}

/** The group of a container; undefined if it has no limits, or there are no groups. */
export async function scopeFor({ name, limits }: ContainerSpec): Promise<Scope | undefined> {
  const { cpus, memoryMb, pids } = limits;
  const properties = [
    ...(cpus === undefined ? [] : [`CPUQuota=${Math.max(1, Math.round(cpus * 100))}%`]),
    ...(memoryMb === undefined ? [] : [`MemoryMax=${memoryMb}M`, 'MemorySwapMax=0']),
    ...(pids === undefined ? [] : [`TasksMax=${pids}`]),
  ];
  const program = find('systemd-run');
  if (properties.length === 0 || program === undefined || !(await hasScopes())) return undefined;
  const found = variables.flatMap((variable) => {
    const value = process.env[variable];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return {
    argv: [program, ...opening(), `--unit=${name}`, ...properties.flatMap((property) => ['-p', property]), '--'],
    env: Object.fromEntries(found),
    unset: found.flatMap(([variable]) => ['--unsetenv', variable]),
  };
}

function opening(): string[] {
  return [...(process.getuid?.() === 0 ? [] : ['--user']), '--scope', '--quiet', '--collect'];
}
