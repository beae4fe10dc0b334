/**
 * A host that begins so many runs, which then wait for people, and takes up all that wait; tells what it costs to do nothing for a
 * while. Arguments: the project, how many runs, how many milliseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listeners, withListeners } from './host.ts';
import { runMany, takeUp, templateOf } from './idle.ts';

const [dir = '', count = '0', ms = '0'] = process.argv.slice(2);
await withListeners(dir, listeners, async (service) => {
  await runMany(service, templateOf(1, 'human'), Number(count));
  const waiting = await takeUp(service);
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await sleep(100);
  }
  const before = process.cpuUsage();
  const start = performance.now();
  await sleep(Number(ms));
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - start);
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ waiting, share, megabytes: rss / 1024 / 1024, heldMegabytes: heapUsed / 1024 / 1024 });
});
process.disconnect?.();
