import { readdirSync, readFileSync } from 'node:fs';

/** In most Linux systems; there is no other way to ask from Node. */
const ticksPerSecond = 100;

interface Stat {
  readonly parent: number;
  /** Its own, and of the children that it has waited for. */
  readonly ticks: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    // The name of the program may have spaces and brackets in it.
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?!.*\) )/s);
    const fields = rest.split(' ');
    return { parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) };
  } catch {
    return undefined;
  }
}

/** Milliseconds of a core that these processes and all they have started have used by now. */
export function cpuMs(roots: readonly number[]): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const stats = new Map(pids.map((pid) => [Number(pid), statOf(Number(pid))]));
  const isOf = (pid: number): boolean => roots.includes(pid) || (pid > 1 && isOf(stats.get(pid)?.parent ?? 0));
  let ticks = 0;
  for (const [pid, stat] of stats) if (stat !== undefined && isOf(pid)) ticks += stat.ticks;
  return (1000 * ticks) / ticksPerSecond;
}
