/** A process that has grown by 512 MB and then starts scripts, in two ways; tells how long its event loop stood still. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Launcher } from '../../packages/host/src/sandbox/launcher.ts';
import { sideBySide } from './side-by-side.ts';

const [dir = '/', rounds = '3'] = process.argv.slice(2);
const grown = Array.from({ length: 512 }, () => Buffer.alloc(1024 * 1024, 1));
const launcher = new Launcher({ project: dir });
const env = { PATH: process.env['PATH'] ?? '' };

/** The longest time between two turns of the event loop while something is under way. */
async function stall(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let over = false;
  const done = act().finally(() => {
    over = true;
  });
  while (!over) {
    await turn();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await done;
  return longest;
}

const taken = await sideBySide(
  {
    direct: () => stall(() => once(spawn('/bin/true', { env, cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] }), 'close')),
    ours: () => stall(() => launcher.run({ argv: ['/bin/true'], cwd: dir, env, timeoutMs: 10_000 })),
  },
  Number(rounds),
);
await launcher.close();
process.send?.(taken);
// Kept until here.
process.disconnect?.();
grown.length = 0;
