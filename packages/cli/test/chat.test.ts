import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ChatApi } from '../src/chat/api.ts';
import { Pipe } from '../src/chat/pipe.ts';
import { Look } from '../src/chat/render.ts';
import { type ChatNews, chosen, Session } from '../src/chat/session.ts';
import type { Output } from '../src/command.ts';
import { ChatServer } from './chat-server.ts';

const look = new Look(false, () => 80);
let server: ChatServer;
const exitCode = process.exitCode;

beforeEach(async () => {
  server = await new ChatServer().start();
});
afterEach(async () => {
  process.exitCode = exitCode;
  await server.stop();
});

async function opened(): Promise<{ session: Session; over: AbortController }> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const api = new ChatApi(server.locate);
  return { session: await Session.open({ api, workspace: 'home', sender: 'ada', signal: over.signal }), over };
}

/** Reads what is told until it is enough. */
async function read(session: Session, isEnough: (news: readonly ChatNews[]) => boolean): Promise<ChatNews[]> {
  const news: ChatNews[] = [];
  for await (const one of session.news()) {
    news.push(one);
    if (isEnough(news)) break;
  }
  return news;
}

const answersIn = (news: readonly ChatNews[]) =>
  news
    .flatMap((one) => (one.kind === 'event' ? one.shown : []))
    .flatMap((shown) => (shown.kind === 'answer' ? [shown.text] : []));

describe('the workspace of a chat', () => {
  it('is the one that is named', () => expect(chosen(['a', 'b'], 'b')).toBe('b'));
  it('is the only one', () => expect(chosen(['a'], undefined)).toBe('a'));
  it('is home where there are several', () => expect(chosen(['a', 'home'], undefined)).toBe('home'));
  it('must be named otherwise', () => expect(() => chosen(['a', 'b'], undefined)).toThrow('There are a, b'));
  it('must exist', () => expect(() => chosen(['home'], 'hme')).toThrow('did you mean "home"?'));
  it('must be there at all', () => expect(() => chosen([], undefined)).toThrow('no workspace to talk with'));
});

describe('a session', () => {
  it('begins with what was said before, and does not tell it again', async () => {
    server.happen('message:received', { chat_jid: 'terminal:home', sender_name: 'ada', content: 'hi', is_bot: false });
    server.answer('hello', 'e1');
    const { session } = await opened();
    expect(session.history.map(({ content }) => content)).toEqual(['hi', 'hello']);
    const reading = read(session, (news) => answersIn(news).length === 1);
    await session.say('next');
    expect(answersIn(await reading)).toEqual(['you said next']);
  });

  it('loses nothing and tells nothing twice when the host ends and comes back elsewhere', async () => {
    const { session } = await opened();
    const reading = read(session, (news) => answersIn(news).length === 4);
    await session.say('one');
    await expect.poll(() => server.requests.filter((one) => one === 'GET /events/stream').length).toBe(1);
    await server.stop();
    // Said while nobody is there, and while it is on its way.
    const said = session.say('two');
    server.answer('meanwhile', 'x');
    await server.start();
    await said;
    await session.say('three');
    const news = await reading;
    expect(answersIn(news)).toEqual(['you said one', 'meanwhile', 'you said two', 'you said three']);
    expect(news.map(({ kind }) => kind).filter((kind) => kind !== 'event')).toEqual(['gone', 'back']);
  });

  it('says a message once though the host ended before it could answer', async () => {
    const { session } = await opened();
    let isFirst = true;
    server.heed = (text, id) => {
      server.answer(text, id);
      if (!isFirst) return;
      isFirst = false;
      void server.stop().then(() => server.start());
    };
    const reading = read(session, (news) => answersIn(news).length === 1);
    await session.say('one');
    expect(answersIn(await reading)).toEqual(['one']);
    expect(server.events.filter(({ type }) => type === 'message:received')).toHaveLength(1);
  });

  it('throws what the host says if it does not let it', async () => {
    const locate = () => ({ ...(server.locate() ?? { url: '' }), token: 'wrong' });
    const api = new ChatApi(locate);
    const parts = { api, workspace: 'home', sender: 'ada', signal: new AbortController().signal };
    await expect(Session.open(parts)).rejects.toThrow(/^no$/);
  });
});

describe('a session that begins', () => {
  it('shows what waits for somebody, once', async () => {
    const call = { approval_id: 'abc', tool: 't', workspace: 'home', input: {}, expires_at: null };
    const { session } = await opened();
    expect(session.waiting).toEqual([]);
    server.pending.push(call);
    server.happen('approval:requested', { ...call, call }, { id: 'abc' });
    const later = (await opened()).session;
    expect(later.waiting).toEqual([call]);
  });
});

describe('a command in a chat', () => {
  const call = (id: string) => ({
    approval_id: id,
    tool: 'write_note',
    workspace: 'home',
    input: { a: 1 },
    expires_at: null,
  });

  it('approves the only call that waits', async () => {
    server.pending.push(call('abc1'), { ...call('abd2'), workspace: 'other' });
    const { session } = await opened();
    expect(await session.command('approve', '', look)).toContain('write_note is approved');
    expect(server.decisions).toEqual([{ id: 'abc1', decision: 'approved', by: 'ada' }]);
    expect(await session.command('approve', '', look)).toBe('nothing waits for you');
  });

  it('wants to know which one where several wait, by the beginning of its id', async () => {
    server.pending.push(call('abc1'), call('abd2'));
    const { session } = await opened();
    expect(await session.command('approve', '', look)).toContain('2 wait');
    expect(await session.command('approve', 'ab', look)).toContain('2 wait');
    expect(await session.command('deny', 'x', look)).toContain('nothing waits under x');
    await session.command('deny', 'abd not today', look);
    expect(server.decisions).toEqual([{ id: 'abd2', decision: 'refused', by: 'ada', comment: 'not today' }]);
  });

  it('denies the only one with a reason', async () => {
    server.pending.push(call('abc1'));
    const { session } = await opened();
    await session.command('deny', 'not today', look);
    expect(server.decisions).toEqual([{ id: 'abc1', decision: 'refused', by: 'ada', comment: 'not today' }]);
  });

  it('shows what waits, what was said, and what there is', async () => {
    server.pending.push(call('abc1'));
    server.answer('hello', 'x');
    const { session } = await opened();
    expect(await session.command('pending', '', look)).toContain('/approve abc1');
    expect(await session.command('history', '1', look)).toBe('Patchbay: hello');
    expect(await session.command('history', 'x', look)).toContain('a number from 1 to 200');
    expect(await session.command('help', '', look)).toContain('/pending');
  });

  it('clears the chat', async () => {
    const { session } = await opened();
    await session.command('clear', '', look);
    expect(server.events.at(-1)?.type).toBe('chat:cleared');
  });

  it('says that the host is gone', async () => {
    const { session } = await opened();
    await server.stop();
    expect(await session.command('pending', '', look)).toContain('the host is gone');
  });
});

describe('a chat without a terminal', () => {
  async function piped(text: string, json = false): Promise<{ outputs: Output[]; progress: string[] }> {
    const { session, over } = await opened();
    const progress: string[] = [];
    const input = new PassThrough();
    input.end(text);
    const parts = {
      session,
      look,
      shown: (said: string) => said,
      input,
      json,
      progress: (line: string) => void progress.push(line),
    };
    const outputs = await Array.fromAsync(new Pipe({ ...parts, leave: () => over.abort() }).run());
    return { outputs, progress };
  }
  const texts = (outputs: readonly Output[]) => outputs.map(({ text }) => text);

  it('answers every line in turn, and ends when all are answered', async () => {
    const { outputs } = await piped('one\n\ntwo\nthree');
    expect(texts(outputs)).toEqual(['you said one', 'you said two', 'you said three']);
    expect(process.exitCode).toBe(exitCode);
  });

  it('ends at once where nothing is said', async () => expect((await piped('')).outputs).toEqual([]));

  it('waits for answers that take their time', async () => {
    server.heed = (text, id) => void setTimeout(() => server.answer(text, id), 100);
    expect(texts((await piped('one\ntwo\n')).outputs)).toEqual(['one', 'two']);
  });

  it('takes lines that go on for one message', async () => {
    expect(texts((await piped('one\\\ntwo\n')).outputs)).toEqual(['you said one\ntwo']);
  });

  it('prints no answer of somebody else', async () => {
    server.heed = (text, id) => {
      server.answer('to another', 'other');
      setTimeout(() => server.answer(text, id), 50);
    };
    expect(texts((await piped('one\n')).outputs)).toEqual(['one']);
  });

  it('fails if a run did', async () => {
    server.heed = (_, id) => {
      server.happen('agent:activity', { chat_jid: 'terminal:home', active: true }, { run_id: 'r1' });
      server.happen('run:failed', {}, { run_id: 'r1' });
      server.answer('I could not answer this', id);
    };
    expect(texts((await piped('one\n')).outputs)).toEqual(['I could not answer this']);
    expect(process.exitCode).toBe(1);
  });

  it('tells what waits for somebody, beside the answers', async () => {
    server.heed = (_, id) => {
      const call = { tool: 'write_note', workspace: 'home', input: {} };
      server.happen('approval:requested', { approval_id: 'abc', expires_at: null, call });
      server.answer('done', id);
    };
    const { outputs, progress } = await piped('one\n');
    expect(texts(outputs)).toEqual(['done']);
    expect(progress.join('\n')).toContain('/approve abc');
  });

  it('tells what happens, as JSON', async () => {
    server.heed = (_, id) => {
      server.happen('turn:accepted', {}, { run_id: 'r1' });
      server.happen('agent:trace', { chat_jid: 'terminal:other', trace_type: 'text', data: { text: 'x' } });
      server.happen('agent:trace', { chat_jid: 'terminal:home', trace_type: 'text', data: { text: 'do' } });
      server.answer('done', id);
    };
    const { outputs } = await piped('one\n', true);
    expect(outputs.map(({ json }) => (json as { type: string }).type)).toEqual([
      'message:received',
      'agent:trace',
      'message:sent',
    ]);
  });

  it('ends when it is told to, whatever is still open', async () => {
    const { session, over } = await opened();
    server.heed = () => over.abort();
    const input = new PassThrough();
    input.write('one\ntwo\n');
    const parts = { session, look, shown: String, input, json: false, progress: () => {}, leave: () => over.abort() };
    expect(await Array.fromAsync(new Pipe(parts).run())).toEqual([]);
  });

  it('says that there is no such command', async () => {
    await expect(piped('/aprove\n')).rejects.toThrow('did you mean "/approve"?');
  });
});
