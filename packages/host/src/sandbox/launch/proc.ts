import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** It has ended, and only its entry is left. */
  readonly dead: boolean;
  /** When it started, in ticks since boot: with its id, the name of one process for ever. */
  readonly started: string;
}

/** What /proc says of a process; undefined where there is none, or no /proc. */
export function statOf(pid: number | 'self'): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program comes second, in brackets, and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      pid: Number.parseInt(text, 10),
      dead: 'ZX'.includes(fields[0] ?? ''),
      parent: Number(fields[1]),
      group: Number(fields[2]),
      started: fields[19] ?? '',
    };
  } catch {
    return undefined;
  }
}

/** All processes there are; undefined where there is no /proc. */
function processes(): Stat[] | undefined {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  } catch {
    return undefined;
  }
}

/** All that descends from a process, as it is now. */
export function descendantsOf(ancestor: number): number[] {
  const children = Map.groupBy(processes() ?? [], ({ parent }) => parent);
  const found = [ancestor];
  for (const pid of found) for (const child of children.get(pid) ?? []) found.push(child.pid);
  return found.slice(1);
}

/** Whether nobody in a process group is alive. Dead ones may stay in it until somebody takes note of them. */
export function isGroupGone(group: number): boolean {
  if (!signalTo(-group, 0)) return true;
  return processes()?.every((one) => one.group !== group || one.dead) ?? false;
}

/** The processes that were started with one of these entries in their environment, as far as it may be read. */
export function startedWith(entries: readonly string[]): number[] {
  const wanted = new Set(entries);
  return (processes() ?? []).map(({ pid }) => pid).filter((pid) => environOf(pid).some((entry) => wanted.has(entry)));
}

function environOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Whether a process is dead, or alive without a child. That of a namespace's first one says whether others are in it. */
export function isDeserted(pid: number): boolean {
  try {
    const file = openSync(`/proc/${pid}/task/${pid}/children`, 'r');
    try {
      return readSync(file, Buffer.allocUnsafe(1), 0, 1, null) === 0;
    } finally {
      closeSync(file);
    }
  } catch {
    // It is gone, or this kernel has no such file.
    return statOf(pid)?.dead ?? true;
  }
}

/** Sends a signal; false if nobody is there to get it. A negative id is a process group; 0, our own, gets none. */
export function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

const closedOnExec = 0o2000000;

/** Closes what this process was left with by those who started it: whatever it starts would be left with it too. */
export function closeInherited(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2 && (flagsOf(fd) & closedOnExec) === 0) closeSync(fd);
  }
}

function flagsOf(fd: number): number {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? [];
    return Number.parseInt(flags, 8);
  } catch {
    // The folder was read through it.
    return closedOnExec;
  }
}
