import { describe, expect, it } from 'vitest';
import { type Play, Stage, said, workspace } from './fixture.ts';

const chat = 'terminal:home';

describe('a message', () => {
  it('is answered by a run of the chat template, in the same chat', async () => {
    const stage = await Stage.set();
    await stage.assistant.take(chat, said('m1', 'hello'));
    expect(await stage.answerTo('m1')).toBe('you said: hello');
    await stage.rest();
    const [answer] = await stage.events('message:sent');
    const [message] = await stage.events('message:received');
    expect(answer).toMatchObject({ chat_jid: chat, workspace: 'home', is_bot: true, answers: message?.event_id });
    const [run] = await stage.events('run:started');
    expect(run).toMatchObject({ template: 'chat', goal: 'hello' });
    const activity = (await stage.events('agent:activity')) as unknown as { active: boolean }[];
    expect(activity.map(({ active }) => active)).toEqual([true, false]);
  });

  it('is answered once, however often it comes', async () => {
    const stage = await Stage.set();
    await Promise.all([1, 2, 3].map(() => stage.assistant.take(chat, said('m1', 'hello'))));
    await stage.answerTo('m1');
    await stage.assistant.take(chat, said('m1', 'hello'));
    await stage.rest();
    expect(await stage.talk()).toEqual(['home> hello', 'home< you said: hello']);
  });

  it('is durable when it was taken', async () => {
    const play: Play = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const stage = await Stage.set({ play });
    await stage.assistant.take(chat, said('m1', 'hello'));
    expect(await stage.talk()).toEqual(['home> hello']);
  });
});

describe('the messages of a workspace', () => {
  it('are answered one after the other, in the order in which they came', async () => {
    let most = 0;
    let now = 0;
    const stage = await Stage.set({
      play: async ({ goal }) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return goal;
      },
    });
    const ids = Array.from({ length: 10 }, (_, i) => `m${i}`);
    await Promise.all(ids.map((id) => stage.assistant.take(chat, said(id))));
    await stage.answerTo('m9');
    await stage.rest();
    expect((await stage.talk()).filter((line) => line.includes('<'))).toEqual(ids.map((id) => `home< ${id}`));
    expect(most).toBe(1);
  });
});

describe('workspaces', () => {
  it('are worked on at once, as many as the settings say', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    let most = 0;
    let now = 0;
    const waiting: (() => void)[] = [];
    const stage = await Stage.set({
      workspaces: names.map((name) => workspace(name)),
      atOnce: 3,
      play: async ({ goal }) => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => waiting.push(resolve));
        now -= 1;
        return goal;
      },
    });
    for (const name of names) await stage.assistant.take(`terminal:${name}`, said('m1', name));
    await expect.poll(() => waiting.length).toBe(3);
    for (let left = names.length; left > 0; left--) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.();
    }
    await stage.rest();
    expect(most).toBe(3);
    expect((await stage.talk()).filter((line) => line.includes('<'))).toHaveLength(5);
  });
});
