import { describe, expect, it, onTestFinished } from 'vitest';
import { openBeside } from '../../../../test/store.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { Serving, soon } from './fixture.ts';

interface Message {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string | undefined;
}

/** A stream that is read. */
async function reading(serving: Serving, query = '', headers: Record<string, string> = {}) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${serving.api}/api/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${serving.token}`, ...headers },
    signal: stop.signal,
  });
  let text = '';
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  const messages = (): Message[] =>
    text
      .split('\n\n')
      .slice(0, -1)
      .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2))));
  const events = () => messages().filter(({ data }) => data !== undefined);
  return { response, ended, text: () => text, messages, events, stop: () => stop.abort() };
}

/** Events of another process, which the host only reads. */
async function speaker({ stage }: Serving) {
  const ledger = await openBeside(stage.dir);
  onTestFinished(() => ledger.close());
  return (chat: string, content = 'hello') =>
    ledger.append(
      newEvent('message:sent', { chat_jid: chat, sender_name: 'x', content, timestamp: 'now', is_bot: true }),
    );
}

describe('The stream of events', () => {
  it('tells what happens from now on, with its place, and says where now is', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const say = await speaker(serving);
    const { event: before } = await say('before');
    const stream = await reading(serving);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    await soon(() => expect(stream.messages()[0]?.id).toBe(String(before.seq)));
    const { event } = await say('after');
    await soon(() => expect(stream.events()).toHaveLength(1));
    const [message] = stream.events();
    expect(message).toMatchObject({ id: String(event.seq), event: 'message:sent' });
    expect(JSON.parse(message?.data ?? '')).toMatchObject({
      seq: event.seq,
      hash: event.hash,
      payload: { chat_jid: 'after' },
    });
  });

  it('goes on where its reader was cut off: nothing is missing, nothing comes twice', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const say = await speaker(serving);
    const first = await reading(serving, '?after=0&type=message:*');
    for (let i = 0; i < 5; i++) await say(`m${i}`);
    await soon(() => expect(first.events()).toHaveLength(5));
    first.stop();
    for (let i = 5; i < 10; i++) await say(`m${i}`);
    const last = first.events().at(-1)?.id ?? '';
    const second = await reading(serving, '?type=message:*', { 'last-event-id': last });
    await say('m10');
    await soon(() => expect(second.events()).toHaveLength(6));
    const chats = [...first.events(), ...second.events()].map(({ data }) => JSON.parse(data ?? '').payload.chat_jid);
    expect(chats).toEqual([...Array(11).keys()].map((i) => `m${i}`));
  });

  it('tells of one run only, if asked to', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const run_id = await serving.begin();
    const stream = await reading(serving, `?after=0&run=${run_id}`);
    await (await speaker(serving))('beside');
    await soon(() => expect(stream.events().at(-1)?.event).toBe('approval:requested'));
    expect(stream.events().every(({ data }) => JSON.parse(data ?? '').run_id === run_id)).toBe(true);
  });

  it('says now and then that it is still there', async () => {
    const serving = await Serving.start('straight', { repository: false, limits: { beatMs: 20 } });
    const stream = await reading(serving);
    await soon(() => expect(stream.text().match(/: still there\n\n/g)?.length).toBeGreaterThan(2));
    expect(stream.events()).toEqual([]);
  });

  it('refuses a place that is none', async () => {
    const serving = await Serving.start('straight', { repository: false });
    for (const id of ['-1', 'x', '1e3', '9'.repeat(30)]) {
      const answer = await serving.get('/events/stream', { headers: { 'last-event-id': id } });
      expect([id, answer.status]).toEqual([id, 400]);
    }
    expect((await serving.get('/events/stream?after=x')).status).toBe(400);
  });

  it('ends when the host does, which is not kept waiting', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const stream = await reading(serving);
    await serving.close();
    await stream.ended;
  });

  it('is there for so many readers; the others are told to come back, and can when one leaves', async () => {
    const serving = await Serving.start('straight', { repository: false, limits: { streams: 3, known: 10_000 } });
    const open = await Promise.all([1, 2, 3].map(() => reading(serving)));
    const refused = await Promise.all(Array.from({ length: 1000 }, () => serving.get('/events/stream')));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    expect(refused[0]?.body.error.code).toBe('REQUEST_LIMITED');
    open[0]?.stop();
    await soon(async () => expect((await reading(serving)).response.status).toBe(200));
  });

  it('is for those who read it', async () => {
    const serving = await Serving.start('straight', { repository: false, limits: { streams: 1 } });
    const { status, headers } = await serving.ask('HEAD', '/events/stream');
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
    expect((await reading(serving)).response.status).toBe(200);
  });

  it('drops a reader that takes nothing, without keeping anything for it', async () => {
    const serving = await Serving.start('straight', { repository: false, limits: { stallMs: 300, streams: 1 } });
    const say = await speaker(serving);
    const socket = serving.socket();
    const head = ['GET /api/v1/events/stream?after=0 HTTP/1.1', `host: 127.0.0.1:${serving.port}`];
    socket.write([...head, `authorization: Bearer ${serving.token}`, '', ''].join('\r\n'));
    await new Promise((resolve) => socket.once('readable', resolve));
    const big = 'x'.repeat(200_000);
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 400; i++) await say('big', big);
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(300);
    // It holds the only stream there can be, until it is dropped.
    await soon(async () => expect((await reading(serving)).response.status).toBe(200));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
  });
});
