/** Fills the disk that a ledger is on, makes room again, and prints what became of the events meanwhile. */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { newEvent, openLedger } from '../../src/ledger/index.ts';

const [file = ''] = process.argv.slice(2);
const ledger = await openLedger(file);
const ballast = join(dirname(file), 'ballast');
writeFileSync(ballast, Buffer.alloc(2_000_000));
const append = () =>
  ledger.append(newEvent('chat:cleared', { chat_jid: 'x'.repeat(2000) }), [{ plugin: 'a', handler: 'a#1' }]);

let kept = 0;
const codes = new Set<unknown>();
let group: PromiseSettledResult<unknown>[] = [];
while (codes.size === 0 && kept < 10_000) {
  group = await Promise.allSettled(Array.from({ length: 10 }, append));
  kept += group.filter(({ status }) => status === 'fulfilled').length;
  for (const one of group)
    if (one.status === 'rejected') codes.add(one.reason instanceof PatchbayError && one.reason.code);
}
const together = new Set(group.map(({ status }) => status)).size === 1;
rmSync(ballast);
for (let i = 0; i < 10; i++, kept++) await append();
const { ok, events } = await ledger.verify();
const [owed] = await ledger.owedPlugins();
await ledger.close();
process.stdout.write(
  `${JSON.stringify({ codes: [...codes], together, ok, lost: kept - events, owed: owed?.count === kept })}\n`,
);
