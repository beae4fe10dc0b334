import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inFolder } from '../deliveries/project.ts';

/** What a host costs that nobody talks with. */
export interface Idling {
  /** Of a core. */
  readonly share: number;
  /** In use. */
  readonly megabytes: number;
}

/** Looks for a while at a host with so many workspaces. */
export function idling(workspaces: number, ms: number): Promise<Idling> {
  return inFolder(async (dir) => {
    const args = [join(dir, 'project'), String(workspaces), String(ms)];
    const host = fork(join(import.meta.dirname, 'idle-host.ts'), args, {
      execArgv: [...process.execArgv, '--expose-gc'],
    });
    const ended = once(host, 'exit');
    const told = await Promise.race([once(host, 'message').then(([idle]) => idle as Idling), ended]);
    await ended;
    if (Array.isArray(told)) throw new Error(`a host with idle workspaces ended with ${told}`);
    return told;
  });
}
