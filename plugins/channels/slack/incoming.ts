/** What Slack tells of a message, as far as it matters here: in an event, or in the history of a conversation. */
export interface SlackMessage {
  readonly type?: string;
  readonly subtype?: string;
  readonly channel?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly files?: readonly { readonly name?: string | null }[];
}

/** Those that a person has said something with; all others tell of changes, of bots and of the conversation itself. */
const said = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message']);

/** Whether a person has said it: not this bot nor another, no change of something said before. */
export function isSaid(message: SlackMessage, me: string): message is SlackMessage & { user: string; ts: string } {
  const { type, subtype, user, bot_id, ts, text = '', files = [] } = message;
  if (type !== 'message' && type !== 'app_mention') return false;
  if (!said.has(subtype) || user === undefined || user === me || bot_id !== undefined) return false;
  return ts !== undefined && (text.trim() !== '' || files.length > 0);
}

/** What a message is called here: its time stamp and, if it is in a thread, that of the thread, which an answer is to go to. */
export function idOf({ ts, thread_ts }: { readonly ts: string; readonly thread_ts?: string | undefined }): string {
  return thread_ts === undefined || thread_ts === ts ? ts : `${ts}/${thread_ts}`;
}

/** The time stamp of a message, and its thread, by its id; null if Slack has no such ids. */
export function placeOf(id: string): { readonly ts: string; readonly thread: string | undefined } | null {
  const match = /^(\d+\.\d+)(?:\/(\d+\.\d+))?$/.exec(id);
  return match?.[1] === undefined ? null : { ts: match[1], thread: match[2] };
}

export function timeOf(ts: string): string {
  return new Date(Number(ts) * 1000).toISOString();
}

/** Everybody that a text mentions. */
export function mentioned(text: string): string[] {
  return [...text.matchAll(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g)].map(([, user]) => user ?? '');
}

/** What people read of a message: names for ids, addresses as they are; without a word to the bot at its beginning. */
export function readable(
  { text = '', files = [] }: SlackMessage,
  me: string,
  nameOf: (user: string) => string,
): string {
  const named = text
    .replace(new RegExp(`^\\s*<@${me}(?:\\|[^>]*)?>[\\s,:]*`), '')
    .replace(/<([^<>]+)>/g, (whole, inner: string) => {
      const [target = '', label] = inner.split('|', 2);
      if (target.startsWith('@')) return `@${nameOf(target.slice(1))}`;
      if (target.startsWith('#')) return `#${label ?? target.slice(1)}`;
      if (target.startsWith('!')) return `@${label?.replace(/^@/, '') ?? target.slice(1).split('^')[0]}`;
      if (!/^(?:https?|mailto|tel|slack):/.test(target)) return whole;
      return label === undefined || target.endsWith(label) ? target.replace(/^mailto:/, '') : `${label} (${target})`;
    })
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  const attached = files.map(({ name }) => `[file: ${name ?? 'without a name'}]`);
  return [named.trim(), ...attached].filter((part) => part !== '').join('\n');
}

/** A command that somebody has typed with a slash: Slack sends those apart from messages. */
export interface SlackCommand {
  readonly command: string;
  readonly text: string;
  readonly user: string;
  readonly channel: string;
}

/** The command in what Slack sends; undefined if there is none. */
export function commandIn(body: Readonly<Record<string, unknown>> | undefined): SlackCommand | undefined {
  const { command, text = '', user_id: user, channel_id: channel } = body ?? {};
  const isOne = typeof command === 'string' && typeof user === 'string' && typeof channel === 'string';
  return isOne ? { command, text: String(text), user, channel } : undefined;
}
