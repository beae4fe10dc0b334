/**
 * Appends to a ledger and prints what is acknowledged: `event ID`, then `settled DELIVERY`.
 * Arguments: the file, or the URL of a database, how many events, how many of them at once.
 */
import { newEvent, openLedger, openPostgresLedger } from '../../src/ledger/index.ts';

const [file = '', count = '1', atOnce = '1'] = process.argv.slice(2);
const ledger = await (file.startsWith('postgres://') ? openPostgresLedger(file) : openLedger(file));
const owes = ['a', 'b'].map((plugin) => ({ plugin, handler: `${plugin}#1` }));

async function one(): Promise<void> {
  const { event, deliveries } = await ledger.append(newEvent('chat:cleared', { chat_jid: 'x'.repeat(200) }), owes);
  process.stdout.write(`event ${event.id}\n`);
  const [first] = deliveries;
  if (first === undefined) return;
  await ledger.settle(first.id, { status: 'ok' });
  process.stdout.write(`settled ${first.id}\n`);
}

for (let left = Number(count); left > 0; left -= Number(atOnce)) {
  await Promise.all(Array.from({ length: Math.min(left, Number(atOnce)) }, one));
}
await ledger.close();
