import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inFolder } from './project.ts';
import type { Taken } from './side-by-side.ts';

/** How long the event loop of a big host stands still while a script is started: by the launcher (`ours`), or `direct`. */
export function ofBigHost(rounds: number): Promise<Taken> {
  return inFolder(async (dir) => {
    const file = join(import.meta.dirname, 'big-host.ts');
    const host = fork(file, [dir, String(rounds)], { execArgv: process.execArgv });
    const [taken] = await once(host, 'message');
    await once(host, 'exit');
    return taken;
  });
}
