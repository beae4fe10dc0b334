/** Appends so many events that nobody waits for, in one go, and prints how many are there afterwards. */
import { newEvent, openLedger } from '../../src/ledger/index.ts';

const [file = '', count = '1'] = process.argv.slice(2);
const ledger = await openLedger(file);
for (let i = 0; i < Number(count); i++) {
  const trace = { chat_jid: 'x', trace_type: 'text', data: { text: String(i).repeat(1000).slice(0, 1000) } };
  void ledger.append(newEvent('agent:trace', trace), [{ plugin: 'a', handler: 'a#1' }]);
}
await ledger.close();
const again = await openLedger(file);
const [owed] = await again.owedPlugins();
await again.close();
process.stdout.write(`${owed?.count}\n`);
