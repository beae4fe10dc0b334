import type { LedgerStore } from '../ledger/index.ts';
import type { Received } from './message.ts';

/** Something that was said, as people are shown it. */
export interface HeardMessage {
  readonly event_id: string;
  readonly at: string;
  readonly sender: string | null;
  readonly sender_name: string;
  readonly content: string;
  readonly is_bot: boolean;
  /** The event that it answers; null if none. */
  readonly answers: string | null;
}

/** What was said last in a chat since it was cleared, the oldest first. */
export async function heard(ledger: LedgerStore, chat: string, limit: number): Promise<readonly HeardMessage[]> {
  const said: HeardMessage[] = [];
  for await (const { payload } of ledger.events({ chat, newestFirst: true, limit })) {
    if (payload.event === 'chat:cleared') break;
    const { event_id, at, sender = null, sender_name, content, is_bot, answers = null } = payload as Received;
    said.push({ event_id, at, sender, sender_name, content, is_bot, answers });
  }
  return said.reverse();
}

/** The last message that was taken from a chat, as its channel calls it; null if none was. */
export async function lastHeard(
  ledger: LedgerStore,
  chat: string,
): Promise<{ readonly id: string; readonly timestamp: string } | null> {
  for await (const { payload } of ledger.events({ chat, newestFirst: true })) {
    const { event, message_id: id, timestamp } = payload as Received;
    if (event === 'message:received' && id !== undefined) return { id, timestamp };
  }
  return null;
}
