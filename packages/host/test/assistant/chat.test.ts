import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin, type TurnChat } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { runOf } from '../../src/assistant/answering.ts';
import { eventIdOf } from '../../src/assistant/message.ts';
import { castVote } from '../../src/runs/decisions.ts';
import { Foreman } from '../../src/runs/foreman.ts';
import { coreOf, type Play, Stage, said, workspace } from './fixture.ts';

const chat = 'terminal:home';

/** Says these one after the other, each when the one before is answered. */
async function talkOver(stage: Stage, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    await stage.assistant.take(chat, said(id));
    await stage.answerTo(id);
  }
  await stage.rest();
}

describe('what was said before', () => {
  const remembering = () => {
    const seen: string[][] = [];
    const play = async ({ goal, chat: its }: { goal: string; chat: TurnChat | null }) => {
      seen.push((its?.history ?? []).map(({ sender, text }) => `${sender}: ${text}`));
      return `re ${goal}`;
    };
    return { seen, play };
  };

  it('is known to the next turn, each message before its answer', async () => {
    const { seen, play } = remembering();
    const stage = await Stage.set({ play });
    await Promise.all(['a', 'b', 'c'].map((id) => stage.assistant.take(chat, said(id))));
    await stage.rest();
    expect(seen).toEqual([[], ['ada: a', 'Bay: re a'], ['ada: a', 'Bay: re a', 'ada: b', 'Bay: re b']]);
  });

  it('is known after a restart too, without what still waits', async () => {
    const dir = folder({ 'patchbay.yaml': '' });
    const { seen, play } = remembering();
    const first = await Stage.set({ dir, play });
    await talkOver(first, 'a', 'b');
    await first.close();
    const second = await Stage.set({ dir, play });
    await Promise.all(['c', 'd'].map((id) => second.assistant.take(chat, said(id))));
    await second.rest();
    const before = ['ada: a', 'Bay: re a', 'ada: b', 'Bay: re b'];
    expect(seen.slice(2)).toEqual([before, [...before, 'ada: c', 'Bay: re c']]);
  });

  it('is forgotten when the chat is cleared, also by those who come later', async () => {
    const dir = folder({ 'patchbay.yaml': '' });
    const { seen, play } = remembering();
    const first = await Stage.set({ dir, play });
    await talkOver(first, 'a');
    await first.assistant.clear(chat, 'ada');
    await talkOver(first, 'b');
    expect(await first.assistant.history(chat, 10)).toMatchObject([{ content: 'b' }, { content: 're b' }]);
    await first.close();
    const second = await Stage.set({ dir, play });
    await talkOver(second, 'c');
    expect(seen).toEqual([[], [], ['ada: b', 'Bay: re b']]);
  });

  it('is at most 50 messages and 32 KB', async () => {
    const { seen, play } = remembering();
    const stage = await Stage.set({ play });
    for (let i = 0; i < 60; i++) await stage.assistant.send(chat, `note ${i}`);
    await talkOver(stage, 'a');
    expect(seen[0]).toHaveLength(50);
    expect(seen[0]?.at(-1)).toBe('Bay: note 59');
    await stage.assistant.send(chat, 'x'.repeat(30_000));
    await stage.assistant.send(chat, 'y'.repeat(3000));
    await talkOver(stage, 'b');
    expect(seen[1]?.map((line) => line.length)).toEqual([3005]);
  });

  it('is not known where the workspace is isolated', async () => {
    const { seen, play } = remembering();
    const stage = await Stage.set({ play, workspaces: [workspace('home', { contextMode: 'isolated' })] });
    await talkOver(stage, 'a', 'b');
    expect(seen).toEqual([[], []]);
  });

  it('is in the bundle of the turn', async () => {
    const files: string[] = [];
    const stage = await Stage.set({
      play: async ({ goal, bundle }) => {
        files.push(String(existsSync(join(bundle, 'conversation.json'))));
        return goal;
      },
    });
    await talkOver(stage, 'a');
    expect(files).toEqual(['true']);
  });
});

describe('a prompt of a schedule', () => {
  it('is given once, and the chat knows of it only where that is wanted', async () => {
    const seen: number[] = [];
    const stage = await Stage.set({
      play: async ({ goal, chat: its }) => {
        seen.push(its?.history.length ?? -1);
        return `re ${goal}`;
      },
    });
    await talkOver(stage, 'a');
    const prompt = { id: '2026-01-01T00:00:00.000Z', text: 'look around', context: 'isolated' as const };
    for (let i = 0; i < 2; i++) await stage.assistant.prompt('home', prompt);
    expect(await stage.assistant.wasPrompted('home', prompt.id)).toBe(true);
    expect(await stage.assistant.wasPrompted('home', 'another')).toBe(false);
    await stage.rest();
    expect(stage.assistant.isPrompted('home')).toBe(false);
    await stage.assistant.prompt('home', { ...prompt, id: 'next', context: 'shared' });
    await stage.rest();
    expect(seen).toEqual([0, 0, 2]);
    expect((await stage.talk()).filter((line) => line.includes('look'))).toHaveLength(4);
  });
});

describe('messages that are nobody’s', () => {
  it('of chats that no workspace has, and of senders that it does not allow, are not kept, and told once', async () => {
    const guarded = workspace('home', { chats: ['pigeon:1'], senders: ['ada'] });
    const stage = await Stage.set({ workspaces: [guarded] });
    for (let i = 0; i < 3; i++) {
      await stage.assistant.take('pigeon:2', said(`x${i}`));
      await stage.assistant.take('pigeon:1', said(`y${i}`, 'let me in', 'eve'));
    }
    expect(await stage.events('message:*')).toEqual([]);
    expect(stage.warnings).toEqual([
      'messages of "ada" in pigeon:2 are not taken: no workspace has this chat',
      'messages of "eve" in pigeon:1 are not taken: they are none of the senders of workspace "home"',
    ]);
    await stage.assistant.take('pigeon:1', said('z', 'hello', 'ada'));
    expect(await stage.answerTo('z', 'pigeon:1')).toBe('you said: hello');
  });

  it('of bots are left aside', async () => {
    const stage = await Stage.set();
    await stage.assistant.take(chat, { ...said('m1'), isBot: true } as never);
    expect(await stage.events('message:*')).toEqual([]);
  });

  it('that are no messages are refused by name', async () => {
    const stage = await Stage.set();
    for (const wrong of [null, {}, { ...said('m1'), id: '' }, { ...said('m1'), content: 7 }]) {
      await expect(stage.assistant.take(chat, wrong as never)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
    }
    expect(await stage.events('message:*')).toEqual([]);
  });
});

describe('what goes wrong', () => {
  it('with a turn is said in the chat, with the run and the reason; the next message is answered', async () => {
    const stage = await Stage.set({
      play: async ({ goal }) => {
        if (goal === 'bad') throw new Error('the model is out');
        return 'fine';
      },
    });
    await stage.assistant.take(chat, said('m1', 'bad'));
    await stage.assistant.take(chat, said('m2', 'good'));
    const run = runOf(eventIdOf(chat, 'm1'));
    expect(await stage.answerTo('m1')).toMatch(
      new RegExp(`could not answer this \\(${run}\\): held: .*the model is out`),
    );
    expect(await stage.answerTo('m2')).toBe('fine');
  });

  it('with a core that is not there is said in the chat', async () => {
    const stage = await Stage.set({ workspaces: [workspace('home', { core: { core: 'nobody', with: {} } })] });
    await stage.assistant.take(chat, said('m1'));
    expect(await stage.answerTo('m1')).toMatch(/could not answer this: .*no agent core "nobody"\. Known are ./);
  });

  it('with the host is tried again, then said', async () => {
    const stage = await Stage.set();
    writeFileSync(join(stage.dir, 'workspaces'), 'in the way');
    await stage.assistant.take(chat, said('m1'));
    expect(await stage.answerTo('m1')).toMatch(/could not answer this \(chat-/);
    expect(stage.warnings.filter((one) => one.includes('could not be answered'))).toHaveLength(2);
    const [run] = await stage.events('run:aborted');
    expect(run).toBeDefined();
  });
});

describe('an answer', () => {
  it('is the text of the report, if there is one', async () => {
    const stage = await Stage.set({ play: async () => ({ summary: 'short', report: { text: 'all of it' } }) });
    await stage.assistant.take(chat, said('m1'));
    expect(await stage.answerTo('m1')).toBe('all of it');
  });

  it('comes after all that was shown of the work, which is gathered', async () => {
    const stage = await Stage.set({
      play: async (turn) => {
        for (const word of ['one ', 'two ', 'three']) turn.trace('text', word);
        turn.trace('thinking', 'x'.repeat(5000));
        return 'done';
      },
    });
    await stage.assistant.take(chat, said('m1'));
    await stage.rest();
    const shown: string[] = [];
    for await (const { type, payload } of stage.ledger.events()) {
      if (type === 'message:sent') shown.push('answer');
      if (payload.event === 'agent:trace') shown.push(`${payload.trace_type} ${String(payload.data['text']).length}`);
    }
    expect(shown).toEqual(['text 13', 'thinking 5000', 'answer']);
  });

  it('is given by the core that the workspace names, whatever the project says of the role', async () => {
    const plugins = [coreOf(async () => 'the other one', 'other')];
    const stage = await Stage.set({ plugins, workspaces: [workspace('home', { core: { core: 'other', with: {} } })] });
    await stage.assistant.take(chat, said('m1'));
    expect(await stage.answerTo('m1')).toBe('the other one');
  });
});

describe('a run that waits for a person', () => {
  it('keeps the messages after it waiting, and is answered when somebody has decided', async () => {
    const gated = `name: chat\nroles:\n  assistant: { writes: ["**"] }\nphases:\n  - name: answer\n    steps: [{ role: assistant }]\n    gate: look\ngates:\n  look: { approval: human }\n`;
    const dir = folder({ 'patchbay.yaml': '', 'patchbay/templates/chat.yaml': gated });
    const stage = await Stage.set({ dir });
    const foreman = new Foreman({ ledger: stage.ledger, runs: stage.runs });
    foreman.start();
    for (const id of ['m1', 'm2']) await stage.assistant.take(chat, said(id));
    const votes = { by: 'bob', decision: 'approved', comment: null } as const;
    for (const id of ['m1', 'm2']) {
      const run = runOf(eventIdOf(chat, id));
      await expect.poll(async () => (await stage.ledger.run(run))?.status).toBe('waiting');
      await castVote(stage, run, votes);
      expect(await stage.answerTo(id)).toBe(`you said: ${id}`);
    }
    await stage.rest();
    await foreman.close();
    expect(await stage.events('run:started')).toHaveLength(2);
  });
});

describe('the folder of a workspace', () => {
  it('is where turns work, and keeps what they leave; the rest of the project cannot be written to', async () => {
    const stage = await Stage.set({
      workspaces: [workspace('home'), workspace('other')],
      play: async ({ exec, goal }) => {
        const end = await exec(['sh', '-c', goal]);
        return { summary: `${end.exit_code}`, files_changed: [] };
      },
    });
    await stage.assistant.take(chat, said('m1', 'echo hi > note.txt'));
    expect(await stage.answerTo('m1')).toBe('0');
    await stage.assistant.take(
      chat,
      said('m2', 'cat note.txt && ! touch ../other/x ../../patchbay.yaml ../../y 2>/dev/null'),
    );
    expect(await stage.answerTo('m2')).toBe('0');
    expect(existsSync(join(stage.dir, 'workspaces/home/note.txt'))).toBe(true);
    const [done] = await stage.events('turn:accepted');
    expect(done).toMatchObject({ files_changed: ['note.txt'] });
    await stage.rest();
  });

  it('is left without what only the run needed', async () => {
    const stage = await Stage.set();
    await talkOver(stage, 'm1');
    const run = runOf(eventIdOf(chat, 'm1'));
    await expect.poll(() => existsSync(join(stage.dir, '.patchbay/runs', run))).toBe(false);
  });

  it('has the skills that are selected, and no others', async () => {
    const skills = folder({
      'tidy/SKILL.md': '---\ndescription: Tidy up.\ntier: core\n---\n',
      'rare/SKILL.md': '---\ndescription: Seldom.\n---\n',
    });
    const plugin = definePlugin({
      name: 'skilled',
      version: '1.0.0',
      provides: { skills: () => ['tidy', 'rare'].map((name) => join(skills, name)) },
    });
    const seen: boolean[][] = [];
    const stage = await Stage.set({
      plugins: [plugin],
      play: async ({ workspace: dir }) => {
        seen.push(['tidy', 'rare'].map((name) => existsSync(join(dir, '.claude/skills', name, 'SKILL.md'))));
        return 'ok';
      },
    });
    await talkOver(stage, 'm1');
    await stage.close();
    const second = await Stage.set({
      dir: stage.dir,
      plugins: [plugin],
      workspaces: [workspace('home', { skills: ['rare'] })],
      play: async ({ workspace: dir }) => {
        seen.push(['tidy', 'rare'].map((name) => existsSync(join(dir, '.claude/skills', name, 'SKILL.md'))));
        return 'ok';
      },
    });
    await talkOver(second, 'm2');
    expect(seen).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  it('never has skills written where a link leads', async () => {
    const elsewhere = folder();
    const skills = folder({ 'tidy/SKILL.md': '---\ndescription: Tidy up.\ntier: core\n---\n' });
    const provides = { skills: () => [join(skills, 'tidy')] };
    const dir = folder({ 'patchbay.yaml': '' });
    mkdirSync(join(dir, 'workspaces/home'), { recursive: true });
    symlinkSync(elsewhere, join(dir, 'workspaces/home/.claude'));
    const stage = await Stage.set({ dir, plugins: [definePlugin({ name: 'skilled', version: '1.0.0', provides })] });
    await talkOver(stage, 'm1');
    expect(existsSync(join(elsewhere, 'skills'))).toBe(false);
    expect(stage.warnings[0]).toMatch(/is not a folder/);
  });
});

describe('a command', () => {
  const pending = [{ approval_id: 'ap-1', tool: 'mail', workspace: 'home' }];

  it('approves and denies calls of tools at once, also while the workspace is busy', async () => {
    const decided: unknown[] = [];
    const approvals = { pending: () => pending, decide: async (...args: unknown[]) => void decided.push(args) };
    const play: Play = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const stage = await Stage.set({ approvals, play });
    await stage.assistant.take(chat, said('m1', 'send it'));
    await stage.assistant.take(chat, said('m2', '/approve'));
    expect(await stage.answerTo('m2')).toBe('mail (ap-1) was approved.');
    await stage.assistant.take(chat, said('m3', '/deny ap-1 not today'));
    await stage.assistant.take(chat, said('m3', '/deny ap-1 not today'));
    expect(await stage.answerTo('m3')).toBe('mail (ap-1) was refused.');
    await stage.assistant.take(chat, said('m4', '/pending'));
    expect(await stage.answerTo('m4')).toMatch(/ap-1 {2}mail/);
    expect(decided).toEqual([
      ['ap-1', { decision: 'approved', by: 'ada', comment: null }],
      ['ap-1', { decision: 'refused', by: 'ada', comment: 'not today' }],
    ]);
  });

  it('decides nothing of another workspace', async () => {
    const approvals = {
      pending: () => pending,
      decide: async () => {
        throw new Error('must not be called');
      },
    };
    const stage = await Stage.set({ approvals, workspaces: [workspace('other')] });
    await stage.assistant.take('terminal:other', said('m1', '/approve ap-1'));
    expect(await stage.answerTo('m1', 'terminal:other')).toMatch(/^Nothing waits under that name/);
  });

  it('clears the chat', async () => {
    const stage = await Stage.set();
    await talkOver(stage, 'a');
    await stage.assistant.take(chat, said('m2', '/clear'));
    expect(await stage.events('chat:cleared')).toHaveLength(1);
  });
});
