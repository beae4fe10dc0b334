import { type Channel, definePlugin } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { Pigeons } from './channel-fixture.ts';
import { Stage, said, workspace } from './fixture.ts';

const workspaces = [workspace('home', { chats: ['pigeon:1'] })];
const never = () => new Promise<never>(() => {});
const throwing = () => {
  throw new Error('no');
};

const kinds: Record<string, Partial<Channel>> = {
  'throws from every member': {
    connect: throwing,
    disconnect: throwing,
    isConnected: throwing,
    ownsJid: throwing,
    sendMessage: throwing,
    setTyping: throwing,
  },
  'never settles': {
    connect: never,
    disconnect: never,
    isConnected: never,
    ownsJid: never,
    sendMessage: never,
    setTyping: never,
  },
  'answers nonsense': {
    connect: async () => 7 as never,
    isConnected: () => 'perhaps' as never,
    ownsJid: () => ({ yes: true }) as never,
    sendMessage: async () => Symbol('sent') as never,
  },
};

describe('a channel that', () => {
  it.each(Object.keys(kinds))('%s takes nothing from the others', async (kind) => {
    const pigeons = new Pigeons();
    const bad = new Pigeons('bad', kinds[kind]);
    const stage = await Stage.set({ workspaces, plugins: [bad.plugin, pigeons.plugin] });
    await stage.assistant.send('bad:1', 'lost');
    await pigeons.context?.onMessage('pigeon:1', said('m1', 'hello'));
    await expect.poll(() => pigeons.sent).toEqual(['pigeon:1 Bay: you said: hello']);
    if (kind !== 'answers nonsense') {
      const owed = async () => (await stage.ledger.owedPlugins()).map(({ plugin }) => plugin);
      await expect.poll(owed).toEqual(['channel bad']);
    }
    expect(stage.warnings.join('\n')).toMatch(/plugin "plugin-bad" in hook "channel"/);
  });

  it('floods takes nothing but its own messages', async () => {
    const pigeons = new Pigeons();
    const flood = new Pigeons('flood');
    const stage = await Stage.set({ workspaces, plugins: [flood.plugin, pigeons.plugin] });
    await Promise.all(
      Array.from({ length: 500 }, (_, i) => flood.context?.onMessage('flood:1', said(`f${i}`, 'x'.repeat(1000)))),
    );
    await pigeons.context?.onMessage('pigeon:1', said('m1', 'hello'));
    expect(await stage.answerTo('m1', 'pigeon:1')).toBe('you said: hello');
    expect(await stage.talk()).toHaveLength(2);
  });

  it('hands in what is no message is refused, and others are heard', async () => {
    const pigeons = new Pigeons();
    const stage = await Stage.set({ workspaces, plugins: [pigeons.plugin] });
    const wrong = [{}, null, { ...said('m0'), content: 'x'.repeat(300_000) }, { ...said('m0'), id: 'x'.repeat(600) }];
    for (const one of wrong) {
      await expect(pigeons.context?.onMessage('pigeon:1', one as never)).rejects.toMatchObject({
        code: 'EVENT_INVALID',
      });
    }
    await expect(pigeons.context?.onMessage(7 as never, said('m0'))).rejects.toMatchObject({ code: 'EVENT_INVALID' });
    await pigeons.context?.onMessage('pigeon:1', said('m1', 'hello'));
    expect(await stage.answerTo('m1', 'pigeon:1')).toBe('you said: hello');
  });
});

describe('a plugin', () => {
  it.each([
    ['throws', throwing],
    ['answers what is no channel', () => ({ name: 'odd' }) as never],
  ])('that %s instead of making a channel leaves the others theirs', async (_, make) => {
    const bad = definePlugin({ name: 'bad', version: '1.0.0', provides: { channel: make as () => never } });
    const pigeons = new Pigeons();
    const stage = await Stage.set({ workspaces, plugins: [bad, pigeons.plugin] });
    await pigeons.context?.onMessage('pigeon:1', said('m1', 'hello'));
    await stage.rest();
    expect(pigeons.sent).toHaveLength(1);
    expect(stage.warnings.join('\n')).toMatch(/plugin "bad"/);
  });

  it('with a channel of a name that is taken is told so', async () => {
    const [first, second] = [new Pigeons(), new Pigeons()];
    const other = { ...second.plugin, name: 'copycat' };
    const stage = await Stage.set({ workspaces, plugins: [first.plugin, other] });
    await stage.assistant.send('pigeon:1', 'hello');
    await stage.rest();
    expect(first.sent.length + second.sent.length).toBe(1);
    expect(stage.warnings.join('\n')).toMatch(/the channel "pigeon" is left out, plugin "[\w-]+" has one of that name/);
  });
});
