import { definePlugin } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { Pigeons } from './channel-fixture.ts';
import { Stage, said, workspace } from './fixture.ts';

const workspaces = [workspace('home', { chats: ['pigeon:1'], name: 'Home' })];

async function staged(pigeons: Pigeons, more: Parameters<typeof Stage.set>[0] = {}) {
  const stage = await Stage.set({ workspaces, plugins: [pigeons.plugin], ...more });
  return stage;
}

describe('the context of a channel', () => {
  it('onMessage ingests a message for a chat, which is stored when it resolves', async () => {
    const pigeons = new Pigeons();
    const stage = await staged(pigeons);
    await pigeons.context?.onMessage('pigeon:1', said('m1', 'hello'));
    expect(await stage.talk()).toEqual(['home> hello']);
    await stage.rest();
    expect(pigeons.sent).toEqual(['pigeon:1 Bay: you said: hello']);
  });

  it('onChatMetadata updates what is known of a chat', async () => {
    const pigeons = new Pigeons();
    const stage = await staged(pigeons);
    pigeons.context?.onChatMetadata('pigeon:1', '2026-01-01T00:00:00Z', 'The loft');
    const [home] = await stage.assistant.overview();
    expect(home?.chats).toContainEqual({ jid: 'pigeon:1', name: 'The loft', active_at: '2026-01-01T00:00:00Z' });
  });

  it('registeredGroups gets all registered workspaces, by chat', async () => {
    const pigeons = new Pigeons();
    await staged(pigeons);
    expect(pigeons.context?.registeredGroups()).toEqual({ 'pigeon:1': { folder: 'home', name: 'Home' } });
  });

  it('sendMessage sends text to a chat through whichever channel owns it', async () => {
    const [pigeons, drums] = [new Pigeons(), new Pigeons('drum')];
    const stage = await Stage.set({ workspaces, plugins: [pigeons.plugin, drums.plugin] });
    await pigeons.context?.sendMessage('drum:9', 'boom');
    await stage.rest();
    expect([pigeons.sent, drums.sent]).toEqual([[], ['drum:9 Bay: boom']]);
  });

  it('lastMessage gives the last message that was taken from a chat, also after a restart', async () => {
    const pigeons = new Pigeons();
    const stage = await staged(pigeons);
    expect(await pigeons.context?.lastMessage('pigeon:1')).toBeNull();
    await pigeons.context?.onMessage('pigeon:1', said('m1'));
    await stage.rest();
    await stage.close();
    await staged(pigeons, { dir: stage.dir });
    expect(await pigeons.context?.lastMessage('pigeon:1')).toEqual({ id: 'm1', timestamp: '2026-01-01T00:00:00.000Z' });
  });

  it('onReaction is an optional handler of reactions', async () => {
    const pigeons = new Pigeons();
    await staged(pigeons);
    expect(pigeons.context?.onReaction?.('pigeon:1', 'm1', 'thumbsup', 'ada')).toBeUndefined();
  });
});

describe('a channel', () => {
  it('is left out where its plugin answers null', async () => {
    const none = definePlugin({ name: 'none', version: '1.0.0', provides: { channel: () => null } });
    const stage = await Stage.set({ plugins: [none] });
    expect(stage.assistant.channels).toEqual([{ name: 'terminal', plugin: null, connected: true }]);
  });

  it('is connected at the start and disconnected at the end', async () => {
    const pigeons = new Pigeons();
    const stage = await staged(pigeons);
    await expect
      .poll(() => stage.assistant.channels[1])
      .toEqual({ name: 'pigeon', plugin: 'plugin-pigeon', connected: true });
    await stage.close();
    expect(pigeons.calls).toEqual(['connect', 'disconnect']);
  });

  it('is connected again when it is not any more, and when it could not be', async () => {
    let tries = 0;
    const pigeons = new Pigeons('pigeon', {
      connect: async () => {
        tries += 1;
        if (tries % 2 === 1) throw new Error('fog');
        pigeons.isUp = true;
      },
    });
    await staged(pigeons);
    await expect.poll(() => tries).toBe(2);
    pigeons.isUp = false;
    await expect.poll(() => tries).toBe(4);
  });

  it('has the name of the assistant put before what is sent, unless prefixAssistantName is false', async () => {
    const pigeons = new Pigeons('pigeon', { prefixAssistantName: false });
    const stage = await staged(pigeons);
    await stage.assistant.send('pigeon:1', 'hello');
    await stage.rest();
    expect(pigeons.sent).toEqual(['pigeon:1 hello']);
  });

  it('is told that the assistant writes, if it has setTyping', async () => {
    const typing: string[] = [];
    const pigeons = new Pigeons('pigeon', { setTyping: async (jid, is) => void typing.push(`${jid} ${is}`) });
    const stage = await staged(pigeons);
    await expect.poll(() => stage.assistant.channels[1]?.connected).toBe(true);
    await pigeons.context?.onMessage('pigeon:1', said('m1'));
    await stage.rest();
    await expect.poll(() => typing).toEqual(['pigeon:1 true', 'pigeon:1 false']);
  });

  it('gets a chat that several say is theirs if config names it as the default', async () => {
    const greedy = new Pigeons('greedy', { ownsJid: () => true });
    const pigeons = new Pigeons();
    const terminal = new Pigeons('terminal', { ownsJid: () => true, prefixAssistantName: false });
    const stage = await Stage.set({ workspaces, plugins: [greedy.plugin, pigeons.plugin, terminal.plugin] });
    await stage.assistant.send('pigeon:1', 'hello');
    await stage.rest();
    expect([greedy.sent, pigeons.sent, terminal.sent]).toEqual([[], [], ['pigeon:1 hello']]);
  });
});

describe('what is sent', () => {
  it('is sent again until the channel takes it, in the order of the chat, while other chats go on', async () => {
    let failures = 3;
    const sent: string[] = [];
    const pigeons = new Pigeons('pigeon', {
      sendMessage: async (jid, text) => {
        const isAlone = !sent.includes('pigeon:2 Bay: x');
        if (jid === 'pigeon:1' && (failures-- > 0 || isAlone)) throw new Error('hawk');
        sent.push(`${jid} ${text}`);
      },
    });
    const stage = await staged(pigeons);
    for (const text of ['a', 'b', 'c']) await stage.assistant.send('pigeon:1', text);
    await stage.assistant.send('pigeon:2', 'x');
    await stage.rest();
    expect(sent).toEqual(['pigeon:2 Bay: x', 'pigeon:1 Bay: a', 'pigeon:1 Bay: b', 'pigeon:1 Bay: c']);
  });

  it('waits for a channel that is away, also over a restart', async () => {
    const dir = folder({ 'patchbay.yaml': '' });
    const away = new Pigeons('pigeon', { connect: () => Promise.reject(new Error('fog')) });
    const first = await staged(away, { dir });
    await first.assistant.send('pigeon:1', 'hello');
    await first.close();
    expect(away.sent).toEqual([]);
    const pigeons = new Pigeons();
    const second = await staged(pigeons, { dir });
    await second.rest();
    expect(pigeons.sent).toEqual(['pigeon:1 Bay: hello']);
  });
});
