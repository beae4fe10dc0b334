import { hash } from 'node:crypto';
import { type EventPayload, type NewMessage, PatchbayError, problemsOf } from 'patchbay-sdk';
import * as z from 'zod/mini';

/** A message as it is kept, and what it is called. */
export type Received = EventPayload<'message:received'>;

const name = z.string().check(z.maxLength(512));
const known = name.check(z.minLength(1));
/** What channels hand in. */
const schema = z.object({
  jid: known,
  id: known,
  sender: name,
  senderName: name,
  content: z.string().check(z.maxLength(262_144)),
  timestamp: name,
});

/** What a channel says of a message. Throws EVENT_INVALID if that is none. */
export function checked(jid: unknown, message: unknown): NewMessage & { readonly jid: string } {
  const given = typeof message === 'object' && message !== null ? { ...message, jid } : { jid };
  const problems = problemsOf(schema, given);
  if (problems.length === 0) return schema.parse(given);
  const said = problems.map(({ path, message: what }) => `${path}: ${what}`).join('; ');
  throw new PatchbayError('EVENT_INVALID', `a message was handed in that is none: ${said}`, {
    hook: 'channel',
    field: problems[0]?.path,
  });
}

/** Whether a channel says that a program has said it, such as this one. */
export function isOfBot(message: unknown): boolean {
  const { isBot, is_bot } = (message ?? {}) as { isBot?: unknown; is_bot?: unknown };
  return isBot === true || is_bot === true;
}

/**
 * The id of the event of a message, the same whenever the message comes. It begins as the channel's own does: most count up,
 * and an index that grows at its end costs a fraction of one that grows everywhere.
 */
export function eventIdOf(jid: string, id: string): string {
  const chat = hash('sha256', jid).slice(0, 12);
  return /^[\w-]{1,64}$/.test(id) ? `${chat}.${id}` : `${chat}.~${hash('sha256', id)}`;
}

/** The id of the event of the answer to a message, or of what is said because of some other event. */
export function answerIdOf(event_id: string): string {
  return `${event_id}.answer`;
}

/** A time as it is kept; now, if it is none. */
export function timeOf(timestamp: string): string {
  const time = new Date(timestamp);
  return (Number.isNaN(time.getTime()) ? new Date() : time).toISOString();
}

/** Who speaks when a schedule does. */
export const scheduled = 'schedule';
/** The same where the chat is to know nothing of it. */
export const apart = 'schedule, apart';

/** Who somebody is whom a channel calls this; nobody there is a schedule. */
export function senderOf(sender: string): string {
  return sender === scheduled || sender === apart ? `@${sender}` : sender;
}

/** Whether something was said apart from the rest of the chat. */
export function isApart({ sender }: Pick<Received, 'sender'>): boolean {
  return sender === apart;
}
