import { type EventName, sample } from 'patchbay-sdk';
import { newEvent } from '../../packages/host/src/ledger/event.ts';
import type { Owed } from '../../packages/host/src/ledger/store.ts';

/** An event of the conversation side, of a run. */
export const chat = (run_id: string | null, content: string, at = '2026-01-01T12:00:00.000Z') => ({
  ...sample('message:received', { run_id, content, at }),
  event_id: newEvent('chat:cleared', { chat_jid: 'x' }).event_id,
});
/** An event as it might come, with an id of its own. */
export const event = <E extends EventName>(name: E, run_id: string | null = 'run-1') => ({
  ...sample(name, { run_id } as never),
  event_id: newEvent('chat:cleared', { chat_jid: 'x' }).event_id,
});
/** One handler of each plugin. */
export const owes = (...plugins: string[]): Owed[] => plugins.map((plugin) => ({ plugin, handler: `${plugin}#1` }));

/** All that an iterable gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
