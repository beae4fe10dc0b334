/**
 * A host with so many workspaces that nobody talks with; tells what it costs to do nothing for a while. Arguments: the project, how
 * many workspaces, how many milliseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { talking } from './host.ts';

const [dir = '', count = '0', ms = '0'] = process.argv.slice(2);
await talking(
  dir,
  Number(count),
  () => {},
  async ({ say, service }) => {
    // One message: whatever is only there once one was answered is no cost of idling.
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    service.ledger.on('appended', ({ event }) => event.type === 'message:sent' && resolve());
    await say(0, 'first');
    await answered;
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.();
      await sleep(100);
    }
    const before = process.cpuUsage();
    const start = performance.now();
    await sleep(Number(ms));
    const { user, system } = process.cpuUsage(before);
    const share = (user + system) / 1000 / (performance.now() - start);
    process.send?.({ share, megabytes: process.memoryUsage().heapUsed / 1024 / 1024 });
  },
);
process.disconnect?.();
