/**
 * A host that is flooded with accepted turns, faster than they can be sent. Ends when all of them have reached the plugins of
 * the project and a neighbour of theirs, whatever is still to be sent. Arguments: the project, how many events.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { openHost } from 'patchbay-host';
import { sample } from 'patchbay-sdk';

const [cwd = '', total = '0'] = process.argv.slice(2);
const host = await openHost({ cwd, version: '0.0.0' });
if (host.quarantined.length > 0) throw new Error(JSON.stringify(host.quarantined));
const service = await host.start();
host.load({ name: 'neighbour', version: '1.0.0', hooks: { 'turn:accepted': () => {} } });
const atOnce = 500;
for (let next = 0; next < Number(total); next += atOnce) {
  const many = Math.min(atOnce, Number(total) - next);
  const emit = () => service.emit('turn:accepted', { ...sample('turn:accepted'), event_id: crypto.randomUUID() });
  await Promise.all(Array.from({ length: many }, emit));
}
while ((await service.ledger.owedPlugins()).length > 0) await sleep(50);
await host.close();
