/** Prints what is in the ledger of a project, as a `Looked`. Argument: the project. */

import { ledgerFile } from 'patchbay-host';
import { openLedger } from 'patchbay-host/ledger';
import type { Looked } from './scene.ts';

const ledger = await openLedger(ledgerFile(process.argv[2] ?? ''));
const events: Looked['events'][number][] = [];
for await (const { seq, id, type } of ledger.events()) events.push({ seq, id, type });
const deliveries: Looked['deliveries'][number][] = [];
for await (const { id, seq, key, plugin, status, awaited, message } of ledger.deliveries()) {
  deliveries.push({ id, seq, key, plugin, status, awaited, message });
}
const looked: Looked = { events, deliveries, verified: await ledger.verify() };
process.stdout.write(JSON.stringify(looked));
await ledger.close();
