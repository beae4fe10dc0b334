import type { Channel, NewMessage } from 'patchbay-sdk';
import { createTestHost } from 'patchbay-sdk/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { slackPlugin } from '../index.ts';
import { SlackServer } from './slack-server.ts';

const tokens = { app_token: 'xapp-1', bot_token: 'xoxb-1' };
let slack: SlackServer;

beforeEach(async () => {
  slack = await SlackServer.start();
});
afterEach(() => slack.close());

interface Taken extends NewMessage {
  readonly jid: string;
}

/** The host's side of a channel. */
class Desk {
  readonly taken: Taken[] = [];
  readonly metadata: unknown[][] = [];
  readonly reactions: unknown[][] = [];
  /** Called before a message counts as stored. */
  storing: (message: Taken) => Promise<void> = async () => {};
  groups: Record<string, { folder: string; name: string }> = { 'slack:C1': { folder: 'home', name: 'Home' } };
  last: Record<string, { id: string; timestamp: string }> = {};

  readonly context = {
    onMessage: async (jid: string, message: NewMessage) => {
      const taken = { jid, ...message };
      await this.storing(taken);
      // As the host does: the same message is one message.
      if (!this.taken.some(({ id }) => id === message.id)) this.taken.push(taken);
      this.last[jid] = { id: message.id, timestamp: message.timestamp };
    },
    onChatMetadata: (...told: unknown[]) => void this.metadata.push(told),
    registeredGroups: () => this.groups,
    sendMessage: async () => {},
    lastMessage: async (jid: string) => this.last[jid] ?? null,
    onReaction: (...told: unknown[]) => void this.reactions.push(told),
  };

  get texts(): string[] {
    return this.taken.map(({ content }) => content);
  }
}

async function channelOf(desk: Desk, config: object = tokens): Promise<Channel | undefined> {
  const host = createTestHost();
  host.load(slackPlugin, { ...config, api_url: slack.url } as never);
  const { result } = await host.fire('channel', desk.context as never);
  return (result as Channel[] | undefined)?.[0];
}

async function connected(desk: Desk): Promise<Channel> {
  const channel = await channelOf(desk);
  if (channel === undefined) throw new Error('there is no channel');
  onTestFinished(() => channel.disconnect());
  await channel.connect();
  return channel;
}

const said = (ts: string, text: string, more: object = {}) => ({
  type: 'message',
  channel: 'C1',
  channel_type: 'channel',
  user: 'U1',
  text,
  ts,
  event_ts: ts,
  ...more,
});

describe('the Slack channel', () => {
  it('does not apply without tokens', async () => {
    expect(await channelOf(new Desk(), {})).toBeUndefined();
    expect(await channelOf(new Desk(), { app_token: 'xapp-1' })).toBeUndefined();
    expect(slack.calls).toEqual([]);
  });

  it('connects with the app token, and asks with the token of the bot who it is', async () => {
    const channel = await connected(new Desk());
    expect(await channel.isConnected()).toBe(true);
    expect(slack.calls.map(({ method, token }) => [method, token])).toEqual([
      ['auth.test', 'xoxb-1'],
      ['apps.connections.open', 'xapp-1'],
    ]);
    expect([await channel.ownsJid('slack:C9'), await channel.ownsJid('terminal:home')]).toEqual([true, false]);
    expect(channel.prefixAssistantName).toBe(false);
    await channel.disconnect();
    expect(await channel.isConnected()).toBe(false);
  });

  it('says why it cannot connect', async () => {
    slack.answers['auth.test'] = [{ ok: false, error: 'invalid_auth' }];
    const channel = await channelOf(new Desk());
    await expect(channel?.connect()).rejects.toThrow('invalid_auth');
    slack.answers['apps.connections.open'] = [{ ok: false, error: 'not_allowed_token_type' }];
    await expect(channel?.connect()).rejects.toThrow('not_allowed_token_type');
    expect(await channel?.isConnected()).toBe(false);
  });

  it('hands in what a person says, by name, readable, and tells what the chat is called', async () => {
    const desk = new Desk();
    await connected(desk);
    slack.event(said('1700000001.000100', '<@UBOT> ask <@U2> about <https://x.test/a|the plan> &amp; <#C5|ops>'));
    await slack.until(() => slack.acked.length === 1);
    expect(desk.taken).toEqual([
      {
        jid: 'slack:C1',
        id: '1700000001.000100',
        sender: 'U1',
        senderName: 'Name of U1',
        content: 'ask @Name of U2 about the plan (https://x.test/a) & #ops',
        timestamp: '2023-11-14T22:13:21.000Z',
      },
    ]);
    expect(desk.metadata).toEqual([['slack:C1', '2023-11-14T22:13:21.000Z', 'general']]);
  });

  it('asks once for the name of a user', async () => {
    const desk = new Desk();
    await connected(desk);
    slack.event(said('1700000001.000100', 'one'));
    slack.event(said('1700000002.000100', 'two'));
    await slack.until(() => slack.acked.length === 2);
    expect(slack.calls.filter(({ method }) => method === 'users.info')).toHaveLength(1);
  });

  it('acknowledges a message when the host has it, and not before', async () => {
    const desk = new Desk();
    const stored = Promise.withResolvers<void>();
    desk.storing = () => stored.promise;
    await connected(desk);
    const first = slack.event(said('1700000001.000100', 'one'));
    const other = slack.event({ type: 'member_joined_channel', user: 'U3', channel: 'C1x' });
    await slack.until(() => slack.acked.length === 1);
    expect(slack.acked).toEqual([other]);
    stored.resolve();
    await slack.until(() => slack.acked.length === 2);
    expect(slack.acked).toEqual([other, first]);
  });

  it('does not acknowledge what the host could not store, and takes it when Slack sends it again', async () => {
    const desk = new Desk();
    const tried = Promise.withResolvers<void>();
    desk.storing = async () => {
      tried.resolve();
      throw new Error('the disk is full');
    };
    await connected(desk);
    const event = said('1700000001.000100', 'one');
    slack.event(event);
    await tried.promise;
    const marker = slack.event({ type: 'team_rename', name: 'x' });
    await slack.until(() => slack.acked.includes(marker));
    expect(desk.taken).toEqual([]);
    desk.storing = async () => {};
    const again = slack.event(event, { num: 1 });
    await slack.until(() => slack.acked.includes(again));
    expect(slack.acked).toEqual([marker, again]);
    expect(desk.texts).toEqual(['one']);
  });

  it('gives the same message the same id however often it is delivered, and by whichever event', async () => {
    const desk = new Desk();
    await connected(desk);
    slack.event(said('1700000001.000100', 'one'));
    slack.event(said('1700000001.000100', 'one'), { num: 1 });
    slack.event({ ...said('1700000001.000100', 'one'), type: 'app_mention' });
    await slack.until(() => slack.acked.length === 3);
    expect(desk.texts).toEqual(['one']);
  });

  it('ignores itself, other bots, edits, deletions and whatever else is no word of a person', async () => {
    const desk = new Desk();
    await connected(desk);
    slack.event(said('1700000001.000100', 'mine', { user: 'UBOT' }));
    slack.event(said('1700000002.000100', 'a bot', { bot_id: 'B2' }));
    slack.event(said('1700000003.000100', 'a bot', { subtype: 'bot_message' }));
    slack.event({ type: 'message', subtype: 'message_changed', channel: 'C1', ts: '1700000004.000100', message: {} });
    slack.event({ type: 'message', subtype: 'message_deleted', channel: 'C1', ts: '1700000005.000100' });
    slack.event(said('1700000006.000100', 'has joined', { subtype: 'channel_join' }));
    slack.event(said('1700000007.000100', 'look', { subtype: 'file_share', files: [{ name: 'a.png' }] }));
    await slack.until(() => slack.acked.length === 7);
    expect(desk.texts).toEqual(['look\n[file: a.png]']);
  });

  it('takes messages that come at once in their order', async () => {
    const desk = new Desk();
    desk.storing = ({ content }) => new Promise((resolve) => setTimeout(resolve, content === 'one' ? 30 : 0));
    await connected(desk);
    for (const [i, text] of ['one', 'two', 'three'].entries()) slack.event(said(`170000000${i}.000100`, text));
    await slack.until(() => slack.acked.length === 3);
    expect(desk.texts).toEqual(['one', 'two', 'three']);
  });

  it('survives messages that are none of Slack', async () => {
    const desk = new Desk();
    await connected(desk);
    slack.send({ type: 'slash_commands', envelope_id: 'e1', payload: { command: '/x' } });
    slack.send({ type: 'nonsense', envelope_id: 'e2' });
    slack.send({ type: 'events_api', envelope_id: 'e3' });
    slack.send({ type: 'events_api', envelope_id: 'e4', payload: { event: 7 } });
    slack.event({ type: 'message' });
    const last = slack.event(said('1700000001.000100', 'one'));
    await slack.until(() => slack.acked.includes(last));
    expect(slack.acked).toEqual(expect.arrayContaining(['e1', 'e2']));
    expect(desk.texts).toEqual(['one']);
  });

  it('hands in commands that are typed with a slash, as messages', async () => {
    const desk = new Desk();
    await connected(desk);
    const payload = { command: '/approve', text: 'abc', user_id: 'U1', channel_id: 'C1', trigger_id: '1.2' };
    slack.send({ type: 'slash_commands', envelope_id: 'e1', payload, accepts_response_payload: true });
    slack.event(said('1700000001.000100', '<@UBOT> /deny abc'));
    await slack.until(() => slack.acked.length === 2);
    expect(desk.taken).toMatchObject([
      { jid: 'slack:C1', id: 'e1', sender: 'U1', senderName: 'Name of U1', content: '/approve abc' },
      { content: '/deny abc' },
    ]);
  });

  it('hands in reactions', async () => {
    const desk = new Desk();
    await connected(desk);
    const item = { type: 'message', channel: 'C1', ts: '1700000001.000100' };
    slack.event({ type: 'reaction_added', user: 'U1', reaction: '+1', item, item_user: 'UBOT' });
    await slack.until(() => slack.acked.length === 1);
    expect(desk.reactions).toEqual([['slack:C1', '1700000001.000100', '+1', 'U1']]);
  });
});

describe('what the Slack channel says', () => {
  it('goes to the chat as Slack writes it', async () => {
    const channel = await connected(new Desk());
    await channel.sendMessage('slack:D7', '# Done\n**all** of [it](https://x.test) <now>');
    expect(slack.posted).toEqual([
      { channel: 'D7', text: '*Done*\n*all* of <https://x.test|it> &lt;now&gt;', unfurl_links: 'false' },
    ]);
  });

  it('is split at the ends of lines where it is long', async () => {
    const channel = await connected(new Desk());
    const line = 'x'.repeat(99);
    await channel.sendMessage('slack:C1', Array.from({ length: 100 }, () => line).join('\n'));
    expect(slack.posted.map(({ text = '' }) => text.length)).toEqual([3799, 3799, 2399]);
    expect(slack.posted.map(({ text }) => text).join('\n')).toBe(Array.from({ length: 100 }, () => line).join('\n'));
  });

  it('goes to the thread of the message that it answers, else to that of the newest', async () => {
    const desk = new Desk();
    const channel = await connected(desk);
    const send = channel.sendMessage as (jid: string, text: string, about?: { answers: string }) => Promise<void>;
    slack.event(said('1700000001.000100', 'top'));
    slack.event(said('1700000002.000100', 'in a thread', { thread_ts: '1700000000.000100' }));
    await slack.until(() => slack.acked.length === 2);
    await send('slack:C1', 'newest');
    const [top, threaded] = desk.taken;
    await send('slack:C1', 'to the top', { answers: top?.id ?? '' });
    await send('slack:C1', 'to the thread', { answers: threaded?.id ?? '' });
    expect(slack.posted.map(({ text, thread_ts }) => [text, thread_ts])).toEqual([
      ['newest', '1700000000.000100'],
      ['to the top', undefined],
      ['to the thread', '1700000000.000100'],
    ]);
  });

  it('waits as long as Slack asks for when there is too much', async () => {
    const channel = await connected(new Desk());
    slack.answers['chat.postMessage'] = [{ status: 429, headers: { 'retry-after': '1' } }];
    const start = Date.now();
    await channel.sendMessage('slack:C1', 'hello');
    expect(Date.now() - start).toBeGreaterThanOrEqual(1_000);
    expect(slack.posted.map(({ text }) => text)).toEqual(['hello', 'hello']);
  });

  it('rejects if Slack does not take it, and goes on where it ended when it is tried again', async () => {
    const channel = await connected(new Desk());
    const text = `${'a'.repeat(3_000)}\n${'b'.repeat(3_000)}`;
    slack.answers['chat.postMessage'] = [{ ok: true }, { ok: false, error: 'is_archived' }];
    await expect(channel.sendMessage('slack:C1', text)).rejects.toThrow('is_archived');
    await channel.sendMessage('slack:C1', text);
    expect(slack.posted.map((one) => one['text']?.[0])).toEqual(['a', 'b', 'b']);
  });

  it('can be said in a channel that it makes', async () => {
    const channel = await connected(new Desk());
    expect(await channel.createGroup?.('Team Äpfel & more!')).toBe('slack:CNEW');
    expect(slack.calls.at(-1)?.args).toEqual({ name: 'team-äpfel-more' });
  });
});

describe('a Slack channel that was away', () => {
  it('hands in what was said meanwhile, in its order, before what is said now', async () => {
    const desk = new Desk();
    desk.last['slack:C1'] = { id: '1700000001.000100', timestamp: '' };
    slack.history['C1'] = [
      said('1700000005.000100', 'five'),
      said('1700000004.000100', 'a bot', { bot_id: 'B2' }),
      said('1700000003.000100', 'three', { thread_ts: '1700000000.000100' }),
      said('1700000002.000100', 'two'),
      said('1700000001.000100', 'one'),
    ];
    await connected(desk);
    slack.event(said('1700000006.000100', 'six'));
    await slack.until(() => slack.acked.length === 1);
    expect(desk.texts).toEqual(['two', 'three', 'five', 'six']);
    expect(desk.taken[1]?.id).toBe('1700000003.000100/1700000000.000100');
  });

  it('begins with the time of the last message where its id says nothing', async () => {
    const desk = new Desk();
    desk.last['slack:C1'] = { id: 'e1', timestamp: '2023-11-14T22:13:21.500Z' };
    slack.history['C1'] = [said('1700000002.000100', 'two'), said('1700000001.000100', 'one')];
    await connected(desk);
    await slack.until(() => desk.taken.length === 1);
    expect(desk.texts).toEqual(['two']);
  });

  it('asks only for chats that take part, and nothing of those that it never heard of', async () => {
    const desk = new Desk();
    desk.groups = { 'slack:C1': { folder: 'a', name: 'A' }, 'terminal:b': { folder: 'b', name: 'B' } };
    desk.last['slack:C2'] = { id: '1700000001.000100', timestamp: '' };
    slack.history['C1'] = [said('1700000001.000100', 'old')];
    await connected(desk);
    slack.event(said('1700000006.000100', 'six'));
    await slack.until(() => slack.acked.length === 1);
    expect(desk.texts).toEqual(['six']);
    expect(slack.calls.some(({ method }) => method === 'conversations.history')).toBe(false);
  });

  it('goes on if the history cannot be read', async () => {
    const desk = new Desk();
    desk.last['slack:C1'] = { id: '1700000001.000100', timestamp: '' };
    slack.answers['conversations.history'] = [{ ok: false, error: 'missing_scope' }];
    await connected(desk);
    slack.event(said('1700000006.000100', 'six'));
    await slack.until(() => slack.acked.length === 1);
    expect(desk.texts).toEqual(['six']);
  });

  it.each([
    ['asks it to', () => slack.refresh()],
    ['cuts it off', () => slack.cut()],
  ])('connects again when Slack %s, and misses nothing', async (_, end) => {
    const desk = new Desk();
    const channel = await connected(desk);
    slack.event(said('1700000001.000100', 'one'));
    await slack.until(() => slack.acked.length === 1);
    slack.history['C1'] = [said('1700000002.000100', 'two'), said('1700000001.000100', 'one')];
    end();
    await slack.until(() => slack.connections === 2);
    await slack.until(() => desk.taken.length === 2);
    expect(await channel.isConnected()).toBe(true);
    expect(desk.texts).toEqual(['one', 'two']);
  });

  it('says that it is not connected where that does not help, and can be connected later', async () => {
    const desk = new Desk();
    const channel = await connected(desk);
    slack.answers['apps.connections.open'] = [{ ok: false, error: 'internal_error' }];
    slack.cut();
    await slack.until(() => slack.calls.filter(({ method }) => method === 'apps.connections.open').length === 2);
    await expect.poll(() => channel.isConnected()).toBe(false);
    // The first may still be the try that fails.
    await expect.poll(() => channel.connect().then(() => channel.isConnected())).toBe(true);
  });

  it('stays away once it was told to', async () => {
    const channel = await connected(new Desk());
    await channel.disconnect();
    await channel.disconnect();
    expect(slack.connections).toBe(1);
    expect(await channel.isConnected()).toBe(false);
  });
});
