import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const variable = 'PATCHBAY_CONTAINER';

/** The arguments of bubblewrap by which a container is known: it has no names itself. */
export function markFlags(name: string): string[] {
  return ['--setenv', variable, name];
}

/** The processes of bubblewrap that stand around containers, by the names of these. */
export function marked(): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const pid of readdirSync('/proc')) {
    const name = /^\d+$/.test(pid) ? nameOf(pid) : undefined;
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), Number(pid)]);
  }
  return found;
}

function nameOf(pid: string): string | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (basename(words[0] ?? '') !== 'bwrap') return undefined;
    // The program comes after it, and may be called with anything.
    const own = words.slice(0, words.indexOf('--'));
    const at = own.indexOf(variable);
    return own[at - 1] === '--setenv' ? own[at + 1] : undefined;
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
