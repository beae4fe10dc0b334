import { describe, expect, it, onTestFinished } from 'vitest';
import { startApi } from '../../src/api/index.ts';
import { findProject } from '../../src/config/project.ts';
import { Stage, workspace } from './fixture.ts';

const token = 'a'.repeat(43);

async function serving(setting: Parameters<typeof Stage.set>[0] = {}) {
  const stage = await Stage.set(setting);
  const { kernel, ledger, runs, assistant } = stage;
  const project = findProject(stage.dir);
  if (project === undefined) throw new Error('there is no project');
  const foreman = { retry: () => {}, troubles: [] };
  const parts = { project, kernel, service: { ledger, runs }, foreman, webhooks: [], assistant: () => assistant };
  const api = await startApi(parts, { port: 0, token });
  onTestFinished(() => api.close());
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${api.url}/api/v1${path}`, { method, headers, ...sent });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
    return { status: answer.status, body: (await answer.json()) as any };
  };
  return { stage, api, ask };
}

describe('the API of chats', () => {
  it('takes a message, once for each id, and shows what was said', async () => {
    const { stage, ask } = await serving();
    const message = { text: 'hello', sender: 'ada', message_id: 'm1' };
    const first = await ask('POST', '/chats/home/messages', message);
    const again = await ask('POST', '/chats/home/messages', message);
    expect(first.status).toBe(202);
    expect(again.body.event_id).toBe(first.body.event_id);
    await stage.answerTo('m1');
    const { body } = await ask('GET', '/chats/home/messages?limit=10');
    expect(body.items).toMatchObject([
      { content: 'hello', sender_name: 'ada', is_bot: false, event_id: first.body.event_id },
      { content: 'you said: hello', is_bot: true, answers: first.body.event_id },
    ]);
    expect((await ask('GET', '/chats/home/messages?limit=1')).body.items).toHaveLength(1);
  });

  it('lists workspaces with their chats and what they have to do', async () => {
    const { ask } = await serving({ workspaces: [workspace('home', { chats: ['pigeon:1'] }), workspace('other')] });
    const { body } = await ask('GET', '/chats');
    expect(body.items).toMatchObject([
      { workspace: 'home', chats: [{ jid: 'pigeon:1' }, { jid: 'terminal:home' }], queue: 0, busy: false },
      { workspace: 'other', chats: [{ jid: 'terminal:other' }] },
    ]);
  });

  it('clears a chat', async () => {
    const { stage, ask } = await serving();
    await stage.assistant.send('terminal:home', 'old');
    expect(await ask('DELETE', '/chats/home/messages')).toEqual({ status: 200, body: { cleared: true } });
    expect((await ask('GET', '/chats/home/messages')).body.items).toEqual([]);
  });

  it('knows no workspace and no chat that is not there', async () => {
    const { ask } = await serving();
    const unknown = await ask('POST', '/chats/nowhere/messages', { text: 'hello' });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'WORKSPACE_UNKNOWN']);
    expect((await ask('GET', '/chats/home/messages?chat=pigeon:7')).status).toBe(404);
    expect((await ask('POST', '/chats/home/messages', { text: '' })).status).toBe(400);
  });

  it('streams what is said and done, filtered by type', async () => {
    const { stage, api, ask } = await serving();
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const stream = await fetch(`${api.url}/api/v1/events/stream?type=message:*`, { headers, signal: stop.signal });
    await ask('POST', '/chats/home/messages', { text: 'hello', message_id: 'm1' });
    await stage.answerTo('m1');
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes('message:sent')) break;
    }
    stop.abort();
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).toEqual(['message:received', 'message:sent']);
  });
});
