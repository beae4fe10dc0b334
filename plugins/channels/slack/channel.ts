import type { WebClient } from '@slack/web-api';
import { type Channel, type Handler, type Hooks, type Log, messageOf } from 'patchbay-sdk';
import { Unfinished } from '../unfinished.ts';
import {
  commandIn,
  idOf,
  isSaid,
  mentioned,
  placeOf,
  readable,
  type SlackCommand,
  type SlackMessage,
  timeOf,
} from './incoming.ts';
import { slackLog } from './log.ts';
import { toMrkdwn } from './mrkdwn.ts';
import { Names } from './names.ts';
import type { SlackSettings } from './settings.ts';
import { type Envelope, SlackSocket } from './socket.ts';
import { split } from './split.ts';

/** What a channel is made with. */
export type ChannelContext = Parameters<Handler<Hooks, 'channel'>>[0];

const prefix = 'slack:';
/** Slack shows no more of a message than 4,000 characters. */
const mostText = 3_900;
const callMs = 20_000;
/** So many missed messages of a chat are handed in; before them, the oldest are left out. */
const mostMissed = 1_000;

/** What was sent of a message, piece by piece. */
interface Pieces {
  readonly pieces: readonly string[];
  sent: number;
}

/** Slack: Socket Mode to hear, the Web API to speak. */
export class SlackChannel {
  readonly #settings: SlackSettings;
  readonly #context: ChannelContext;
  readonly #log: Log;
  readonly #unfinished = new Unfinished<Pieces>();
  /** What is under way for each conversation, one after the other. */
  readonly #lines = new Map<string, Promise<unknown>>();
  /** The thread of the newest message of each conversation, if it is in one. */
  readonly #threads = new Map<string, string | undefined>();
  #web: Promise<WebClient> | undefined;
  #names: Names | undefined;
  #socket: SlackSocket | undefined;
  #connecting: Promise<void> | undefined;
  #isWanted = false;
  /** The user that the bot is. */
  #me = '';

  constructor(settings: SlackSettings, context: ChannelContext, log: Log) {
    this.#settings = settings;
    this.#context = context;
    this.#log = log;
  }

  /** As the host takes it. */
  asChannel(): Channel {
    return {
      name: 'slack',
      // Slack itself says who speaks.
      prefixAssistantName: false,
      connect: () => this.connect(),
      disconnect: () => this.disconnect(),
      isConnected: () => this.#socket?.isOpen === true,
      ownsJid: (jid) => jid.startsWith(prefix),
      sendMessage: (jid: string, text: string, about?: { readonly answers?: string }) => this.send(jid, text, about),
      createGroup: (name) => this.createGroup(name),
    };
  }

  /** Connects, unless it is, and has what was missed meanwhile handed in. Rejects if Slack does not take it. */
  connect(): Promise<void> {
    this.#isWanted = true;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async disconnect(): Promise<void> {
    this.#isWanted = false;
    await this.#connecting?.catch(() => {});
    await this.#socket?.close();
    this.#socket = undefined;
  }

  /**
   * Resolves when Slack has all of it. It goes to the thread of the message that it answers; to that of the newest one where nobody
   * says which that is.
   */
  async send(jid: string, text: string, about: { readonly answers?: string } = {}): Promise<void> {
    const channel = jid.slice(prefix.length);
    const web = await this.#client();
    const place = about.answers === undefined ? null : placeOf(about.answers);
    const thread = place === null ? this.#threads.get(channel) : place.thread;
    await this.#unfinished.send(jid, text, {
      begin: () => ({ pieces: split(toMrkdwn(text), mostText), sent: 0 }),
      go: async (state) => {
        for (; state.sent < state.pieces.length; state.sent++) {
          const said = { channel, text: state.pieces[state.sent] ?? '', unfurl_links: false };
          await web.chat.postMessage(thread === undefined ? said : { ...said, thread_ts: thread });
        }
      },
    });
  }

  /** Makes a channel, whose name is as Slack wants it. */
  async createGroup(name: string): Promise<string> {
    const web = await this.#client();
    const legal = name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_-]+/gu, '-')
      .replace(/^-+|-+$/g, '');
    const { channel } = await web.conversations.create({ name: legal.slice(0, 80) });
    if (channel?.id === undefined) throw new Error('Slack did not say what it calls the channel');
    return prefix + channel.id;
  }

  async #connect(): Promise<void> {
    if (this.#socket?.isOpen === true) return;
    const web = await this.#client();
    const { user_id } = await web.auth.test();
    this.#me = user_id ?? '';
    const opened = Promise.withResolvers<boolean>();
    // Before anything can come in: what was missed comes first.
    for (const jid of Object.keys(await this.#context.registeredGroups())) {
      if (!jid.startsWith(prefix)) continue;
      const channel = jid.slice(prefix.length);
      void this.#inOrder(channel, async () => (await opened.promise) && (await this.#catchUp(channel)));
    }
    try {
      this.#socket = await SlackSocket.open(this.#settings, this.#log, {
        hear: (envelope) => void this.#hear(envelope),
        // Slack ends every connection after some hours. If this does not help, the host tries it again in its own time.
        lost: () => void (this.#isWanted && this.connect().catch((error) => this.#log.warn(messageOf(error)))),
      });
      opened.resolve(true);
    } catch (error) {
      opened.resolve(false);
      throw error;
    }
  }

  #client(): Promise<WebClient> {
    this.#web ??= import('./clients.ts').then(({ WebClient }) => {
      const { bot_token, api_url } = this.#settings;
      const web = new WebClient(bot_token, {
        ...(api_url === undefined ? {} : { slackApiUrl: api_url }),
        logger: slackLog(this.#log),
        timeout: callMs,
        // For limits of rate above all: after so many, the host tries again.
        retryConfig: { retries: 3, minTimeout: 500, maxTimeout: 5_000 },
      });
      this.#names = new Names(web);
      return web;
    });
    return this.#web;
  }

  /** Nothing is acknowledged before the host has it. Never rejects. */
  async #hear({ type, body, envelope_id, ack }: Envelope): Promise<void> {
    try {
      const command = type === 'slash_commands' ? commandIn(body) : undefined;
      if (command !== undefined) await this.#inOrder(command.channel, () => this.#obey(command, envelope_id));
      const event = type === 'events_api' ? (body?.['event'] as SlackMessage | undefined) : undefined;
      if (typeof event === 'object') await this.#heed(event);
      await ack();
    } catch (error) {
      this.#log.warn(`what Slack sent was not taken, it will send it again: ${messageOf(error)}`);
    }
  }

  async #heed(event: SlackMessage): Promise<void> {
    const { channel } = event;
    if (event.type === 'reaction_added') this.#react(event as Readonly<Record<string, unknown>>);
    else if (channel !== undefined) await this.#inOrder(channel, () => this.#take(channel, event));
  }

  /** The host knows commands as messages. */
  async #obey({ command, text, user, channel }: SlackCommand, id = `${command} ${Date.now()}`): Promise<void> {
    const senderName = (await this.#names?.ofUser(user)) ?? user;
    const content = `${command} ${text}`.trim();
    const timestamp = new Date().toISOString();
    await this.#context.onMessage(prefix + channel, { id, sender: user, senderName, content, timestamp });
  }

  #react(event: Readonly<Record<string, unknown>>): void {
    const { item, reaction, user } = event as { item?: { channel?: string; ts?: string } } & Record<string, unknown>;
    if (item?.channel === undefined || item.ts === undefined || user === this.#me) return;
    this.#context.onReaction?.(prefix + item.channel, item.ts, String(reaction), String(user));
  }

  /** Rejects as `act` does; what comes after it is done all the same. */
  #inOrder<T>(channel: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#lines.get(channel) ?? Promise.resolve()).then(act);
    const line = done.then(
      () => {},
      () => {},
    );
    this.#lines.set(channel, line);
    void line.then(() => this.#lines.get(channel) === line && this.#lines.delete(channel));
    return done;
  }

  async #take(channel: string, message: SlackMessage): Promise<void> {
    if (!isSaid(message, this.#me)) return;
    const { user, ts, thread_ts, text = '' } = message;
    const jid = prefix + channel;
    const names = this.#names;
    const nameOf = async (one: string) => (await names?.ofUser(one)) ?? one;
    const known = new Map<string, string>();
    for (const one of [user, ...mentioned(text)]) known.set(one, await nameOf(one));
    const content = readable(message, this.#me, (one) => known.get(one) ?? one);
    const id = idOf({ ts, thread_ts });
    const timestamp = timeOf(ts);
    await this.#context.onMessage(jid, { id, sender: user, senderName: known.get(user) ?? user, content, timestamp });
    this.#threads.set(channel, placeOf(id)?.thread);
    this.#context.onChatMetadata(jid, timestamp, await names?.ofConversation(channel));
  }

  /** Hands in what was said while nobody heard it. What cannot be read is missed, and logged. Never rejects. */
  async #catchUp(channel: string): Promise<void> {
    try {
      const last = await this.#context.lastMessage(prefix + channel);
      // Of a chat that is new here, nothing was missed.
      if (last === null) return;
      const since = placeOf(last.id)?.ts ?? String(Date.parse(last.timestamp) / 1000);
      for (const message of await this.#since(channel, since)) await this.#take(channel, message);
    } catch (error) {
      this.#log.warn(`what was said in ${prefix}${channel} meanwhile is not known: ${messageOf(error)}`);
    }
  }

  /** What was said after a time, the oldest first. */
  async #since(channel: string, oldest: string): Promise<SlackMessage[]> {
    const web = await this.#client();
    const found: SlackMessage[] = [];
    let cursor: string | undefined;
    do {
      const asked = { channel, oldest, inclusive: false, limit: 200 };
      const page = await web.conversations.history(cursor === undefined ? asked : { ...asked, cursor });
      found.push(...((page.messages ?? []) as SlackMessage[]));
      cursor = page.response_metadata?.next_cursor || undefined;
    } while (cursor !== undefined && found.length < mostMissed);
    if (cursor !== undefined) this.#log.warn(`too much was said in ${prefix}${channel}: the oldest of it is left out`);
    return found.reverse();
  }
}
