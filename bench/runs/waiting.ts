import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inFolder } from '../deliveries/project.ts';

/** What a host costs that does nothing. */
export interface Idling {
  /** How many runs wait. */
  readonly waiting: number;
  /** Of a core. */
  readonly share: number;
  /** Of the process: what V8 has taken from the system for the work before it keeps for the work to come. */
  readonly megabytes: number;
  /** Of that, what is in use. */
  readonly heldMegabytes: number;
}

/** What waiting runs cost. */
export interface Waiting {
  /** A host without any. */
  readonly none: Idling;
  /** The host that has begun them: what it took to carry them as far as that is still in its memory, unused. */
  readonly begun: Idling;
  /** A new host that has found them. */
  readonly found: Idling;
}

/** Looks for a while at hosts with so many waiting runs, and with none. */
export function withWaiting(count: number, ms: number): Promise<Waiting> {
  return inFolder(async (dir) => {
    // One that waits: whatever is only there once a run was carried out is no cost of a thousand.
    const none = await idling(join(dir, 'none'), 1, ms);
    const begun = await idling(join(dir, 'many'), count, 0);
    const found = await idling(join(dir, 'many'), 0, ms);
    if (found.waiting !== count) throw new Error(`${found.waiting} of ${count} runs wait`);
    return { none, begun, found };
  });
}

async function idling(project: string, begin: number, ms: number): Promise<Idling> {
  const file = join(import.meta.dirname, 'waiting-host.ts');
  const args = [project, String(begin), String(ms)];
  const host = fork(file, args, { execArgv: [...process.execArgv, '--expose-gc'] });
  const ended = once(host, 'exit');
  const told = await Promise.race([once(host, 'message').then(([idle]) => idle as Idling), ended]);
  await ended;
  if (Array.isArray(told)) throw new Error(`a host with waiting runs ended with ${told}`);
  return told;
}
