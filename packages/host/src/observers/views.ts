import type { StoredEvent } from '../ledger/index.ts';

/** What an observer is told. */
export type Told = Readonly<Record<string, unknown>>;

const fields = {
  MessageEvent: ['chat_jid', 'sender_name', 'content', 'timestamp', 'is_bot'],
  AgentActivityEvent: ['chat_jid', 'active'],
  AgentTraceEvent: ['chat_jid', 'trace_type', 'data'],
  ChatClearedEvent: ['chat_jid'],
} as const;

/** The name by which observers of Pynchy know an event. */
export type DocumentedName = keyof typeof fields;

const documented: Readonly<Record<string, DocumentedName>> = {
  'message:received': 'MessageEvent',
  'message:sent': 'MessageEvent',
  'agent:activity': 'AgentActivityEvent',
  'agent:trace': 'AgentTraceEvent',
  'chat:cleared': 'ChatClearedEvent',
};

/** What a subscription of this name is told of an event; undefined if it is not about it. */
export function viewOf(name: string, event: StoredEvent): Told | undefined {
  if (name === '*' || name === event.type) return event.payload as unknown as Told;
  const view = documented[event.type];
  if (view === undefined || view !== name) return undefined;
  const payload = event.payload as unknown as Told;
  return Object.fromEntries(fields[view].map((field) => [field, payload[field]]));
}
