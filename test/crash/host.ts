/**
 * A host that is killed again and again. Emits the events of a plan from a given one on, each under the id it will
 * always have, and prints `ready`, then `ack ID` or `refused ID` for each that the host has answered. Ends when all is
 * delivered. Arguments: the project, the plan, how many events are answered already, how many there are.
 */

import { openHost } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { type Plan, plans } from './plans.ts';

const [cwd = '', plan = '', answered = '0', total = '0'] = process.argv.slice(2);
const { atOnce, emit } = plans[plan as Plan];
const host = await openHost({ cwd, version: '0.0.0' });
if (host.quarantined.length > 0) throw new Error(JSON.stringify(host.quarantined));
const service = await host.start();

async function one(number: number): Promise<void> {
  try {
    const { event } = await emit(service, number);
    process.stdout.write(`ack ${event.id}\n`);
  } catch (error) {
    if (!(error instanceof PatchbayError) || error.code !== 'HOOK_REFUSED') throw error;
    process.stdout.write(`refused ${error.run}\n`);
  }
}

process.stdout.write('ready\n');
let earlier: Promise<void> | undefined;
for (let next = Number(answered); next < Number(total); next += atOnce) {
  const many = Math.min(atOnce, Number(total) - next);
  await Promise.all(Array.from({ length: many }, (_, i) => one(next + i)));
  // Deliveries are made while the next events come, but never fall behind by more than two bursts of them.
  await earlier;
  earlier = service.rest();
}
await service.rest();
await host.close();
