import { definePlugin } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { type Play, Stage, said, workspace } from './fixture.ts';
import { Mortal } from './mortal.ts';

const jid = 'pigeon:1';
const workspaces = [workspace('home', { chats: [jid] })];

/** A channel that remembers what it has sent. */
function pigeon(sent: string[]) {
  const channel = {
    name: 'pigeon',
    prefixAssistantName: false,
    connect: async () => {},
    disconnect: async () => {},
    isConnected: () => true,
    ownsJid: (one: string) => one.startsWith('pigeon:'),
    sendMessage: async (_: string, text: string) => void sent.push(text),
  };
  return definePlugin({ name: 'loft', version: '1.0.0', provides: { channel: () => channel } });
}

/** How much is written for one message, from its coming to its answer being sent. */
async function writesOfOne(): Promise<string[]> {
  const life = new Mortal(1000);
  const stage = await Stage.set({ workspaces, plugins: [pigeon([])], before: life.before });
  await stage.assistant.take(jid, said('m1'));
  await stage.rest();
  await stage.close();
  return life.written;
}

describe('a host that dies', () => {
  it('writes down each step of a message before the next', async () => {
    const written = await writesOfOne();
    expect(written.filter((one) => !one.startsWith('agent:'))).toEqual([
      'message:received',
      'requestRun',
      'run:started',
      'turn:dispatched',
      'turn:submitted',
      'turn:accepted',
      'gate:pending',
      'gate:completion',
      'run:completed',
      'message:sent',
      'settle',
      'settle',
    ]);
  });

  it('after any of its writes has answered each message once, in order, when the next one is done', async () => {
    const count = (await writesOfOne()).length;
    for (let writes = 1; writes <= 2 * count; writes++) {
      const dir = folder({ 'patchbay.yaml': '' });
      const life = new Mortal(writes);
      const sent: string[] = [];
      const played: string[] = [];
      const play: Play = async ({ goal }) => {
        played.push(goal);
        return `to ${goal}`;
      };
      const setting = { dir, workspaces, plugins: [pigeon(sent)], play };
      const first = await Stage.set({ ...setting, before: life.before });
      const taking = ['m1', 'm2'].map((id) => first.assistant.take(jid, said(id)));
      await Promise.race([life.died, Promise.all(taking).then(() => first.rest())]);
      await first.abandon();
      const second = await Stage.set(setting);
      // Whoever got no word that a message was taken sends it again.
      for (const id of ['m1', 'm2']) await second.assistant.take(jid, said(id));
      await second.rest();
      const talk = (await second.talk()).filter((line) => line.includes('<'));
      expect({ writes, talk }).toEqual({ writes, talk: ['home< to m1', 'home< to m2'] });
      // What was sent right before it died may be sent again, in order all the same.
      expect([...new Set(sent)]).toEqual(['to m1', 'to m2']);
      expect(sent.length).toBeLessThanOrEqual(3);
      expect(played.length).toBeLessThanOrEqual(3);
      await second.close();
    }
  });

  it('in good order leaves what it was about to do to the next one', async () => {
    const dir = folder({ 'patchbay.yaml': '' });
    const stuck = Promise.withResolvers<void>();
    const first = await Stage.set({
      dir,
      play: ({ signal }) => {
        stuck.resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      },
    });
    await first.assistant.take('terminal:home', said('m1'));
    await first.assistant.take('terminal:home', said('m2'));
    await stuck.promise;
    await first.close();
    const second = await Stage.set({ dir });
    await second.rest();
    expect(await second.talk()).toEqual(['home> m1', 'home> m2', 'home< you said: m1', 'home< you said: m2']);
    const runs = await second.events('run:started');
    expect(runs).toHaveLength(2);
  });
});
