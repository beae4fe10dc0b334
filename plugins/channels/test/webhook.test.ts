import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Channel, NewMessage, Webhook } from 'patchbay-sdk';
import { createTestHost } from 'patchbay-sdk/testing';
import { Webhook as Standard } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookPlugin } from '../index.ts';

const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;

interface Got {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Somebody whom answers are posted to. */
async function receiver(statuses: number[] = []): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(statuses.shift() ?? 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, got };
}

async function made(endpoints: object, onMessage?: (jid: string, message: NewMessage) => Promise<void>) {
  const host = createTestHost();
  host.load(webhookPlugin, { endpoints } as never);
  const taken: [string, NewMessage][] = [];
  const context = {
    onMessage: onMessage ?? (async (jid: string, message: NewMessage) => void taken.push([jid, message])),
    onChatMetadata: () => {},
    registeredGroups: () => ({}),
    sendMessage: async () => {},
    lastMessage: async () => null,
  };
  const routes = (await host.fire('webhooks', {} as never)).result as unknown as Webhook[][];
  const open = async () => ((await host.fire('channel', context as never)).result as Channel[])[0] as Channel;
  const post = (route: Webhook | undefined, payload: unknown) =>
    route?.handle({ path: route.path, payload, headers: {}, raw: JSON.stringify(payload) });
  return { routes: routes.flat(), open, post, taken };
}

const message = { chat: 'ticket-7', id: 'm1', sender: 'u1', sender_name: 'Ada', text: 'hi' };

describe('the webhook channel', () => {
  it('does not apply without endpoints', async () => {
    const { routes, open } = await made({});
    expect([routes, await open()]).toEqual([[], undefined]);
  });

  it('has a route for each endpoint, with the proof that the project asks for', async () => {
    const proof = { scheme: 'bearer' as const, secrets: ['s'] };
    const { routes } = await made({ crm: { proof }, shop: { path: '/shop' } });
    expect(routes.map(({ path, proof: its }) => [path, its])).toEqual([
      ['/channels/crm', proof],
      ['/shop', undefined],
    ]);
  });

  it('hands in what comes, and answers when the host has it', async () => {
    const { routes, open, post, taken } = await made({ crm: {} });
    const channel = await open();
    await channel.connect();
    expect(await post(routes[0], { ...message, timestamp: '2026-01-02T03:04:05+01:00' })).toEqual({
      status: 202,
      body: { id: 'm1' },
    });
    expect(taken).toEqual([
      [
        'webhook:crm:ticket-7',
        { id: 'm1', sender: 'u1', senderName: 'Ada', content: 'hi', timestamp: '2026-01-02T02:04:05.000Z' },
      ],
    ]);
    expect([await channel.isConnected(), await channel.ownsJid('webhook:crm:a:b')]).toEqual([true, true]);
    expect([await channel.ownsJid('webhook:other:a'), await channel.ownsJid('slack:C1')]).toEqual([false, false]);
  });

  it('says what is wrong with a message', async () => {
    const { routes, open, post, taken } = await made({ crm: {} });
    await open();
    for (const bad of [
      null,
      7,
      {},
      { ...message, id: '' },
      { ...message, text: 4 },
      { ...message, timestamp: 'now' },
    ]) {
      expect(await post(routes[0], bad)).toMatchObject({ status: 422, body: { error: expect.any(String) } });
    }
    expect(taken).toEqual([]);
  });

  it('fails, so that it is sent again, where the host cannot take it', async () => {
    const { routes, open, post } = await made({ crm: {} }, () => Promise.reject(new Error('the disk is full')));
    await expect(post(routes[0], message)).rejects.toThrow('nobody takes messages here');
    await open();
    await expect(post(routes[0], message)).rejects.toThrow('the disk is full');
  });

  it('posts answers, signed', async () => {
    const { url, got } = await receiver();
    const { open } = await made({ crm: { url, secret } });
    await (await open()).sendMessage('webhook:crm:a:b', 'hello');
    const [one] = got;
    const sent = new Standard(secret).verify(one?.body ?? '', one?.headers ?? {});
    expect(sent).toEqual({ chat: 'a:b', text: 'hello', id: one?.headers['webhook-id'] });
  });

  it('rejects what is not taken, and tries it again under the same id', async () => {
    const { url, got } = await receiver([503, 302]);
    const { open } = await made({ crm: { url } });
    const channel = await open();
    await expect(channel.sendMessage('webhook:crm:a', 'hello')).rejects.toThrow('503');
    await expect(channel.sendMessage('webhook:crm:a', 'hello')).rejects.toThrow();
    await channel.sendMessage('webhook:crm:a', 'hello');
    await channel.sendMessage('webhook:crm:a', 'hello');
    const ids = got.map(({ body }) => (JSON.parse(body) as { id: string }).id);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
  });

  it('says that there is nowhere to answer to', async () => {
    const channel = await (await made({ crm: {} })).open();
    await expect(channel.sendMessage('webhook:crm:a', 'x')).rejects.toThrow('has no "url"');
    await expect(channel.sendMessage('webhook:no:a', 'x')).rejects.toThrow('no endpoint');
  });

  it('keeps the channels of two hosts apart', async () => {
    const [one, two] = [await made({ crm: {} }), await made({ crm: {} })];
    await one.open();
    await two.open();
    await one.post(one.routes[0], message);
    expect([one.taken.length, two.taken.length]).toEqual([1, 0]);
  });
});
