import { randomUUID } from 'node:crypto';
import type { Channel, Handler, Hooks, InboundReply, Webhook } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';
import { Unfinished } from '../unfinished.ts';
import type { Endpoint, WebhookSettings } from './settings.ts';

type ChannelContext = Parameters<Handler<Hooks, 'channel'>>[0];

const prefix = 'webhook:';
const sendMs = 15_000;

/** A message, as a system sends it. */
const arriving = z.object({
  chat: z.string().min(1).max(200),
  id: z.string().min(1).max(200),
  sender: z.string().min(1).max(200),
  sender_name: z.string().max(200).optional(),
  text: z.string().min(1),
  timestamp: z.iso.datetime({ offset: true }).optional(),
});

/** Other systems: messages come in by webhooks, and answers are posted to them. */
export class WebhookChannel {
  readonly #endpoints: WebhookSettings['endpoints'];
  readonly #unfinished = new Unfinished<{ readonly id: string }>();
  #context: ChannelContext | undefined;
  #isConnected = false;

  constructor({ endpoints }: WebhookSettings) {
    this.#endpoints = endpoints;
  }

  /** The routes on which messages are taken. */
  routes(): Webhook[] {
    return Object.entries(this.#endpoints).map(([name, { path = `/channels/${name}`, proof }]) => ({
      path,
      ...(proof === undefined ? {} : { proof }),
      handle: ({ payload }) => this.#take(name, payload),
    }));
  }

  /** As the host takes it; null if there is nobody to talk with. */
  asChannel(context: ChannelContext): Channel | null {
    if (Object.keys(this.#endpoints).length === 0) return null;
    this.#context = context;
    return {
      name: 'webhook',
      prefixAssistantName: false,
      // Each message is a request of its own: there is nothing to hold.
      connect: async () => {
        this.#isConnected = true;
      },
      disconnect: async () => {
        this.#isConnected = false;
      },
      isConnected: () => this.#isConnected,
      ownsJid: (jid) => this.#place(jid) !== undefined,
      sendMessage: (jid, text) => this.#send(jid, text),
    };
  }

  async #take(name: string, payload: unknown): Promise<InboundReply> {
    const { success, data, error } = arriving.safeParse(payload);
    if (!success) return { status: 422, body: { error: z.prettifyError(error) } };
    // It is kept, and told to have failed: whoever sent it sends it again.
    if (this.#context === undefined) throw new Error('nobody takes messages here');
    const { chat, id, sender, sender_name: senderName = sender, text: content } = data;
    const timestamp = new Date(data.timestamp ?? Date.now()).toISOString();
    const jid = `${prefix}${name}:${chat}`;
    await this.#context.onMessage(jid, { id, sender, senderName, content, timestamp });
    this.#context.onChatMetadata(jid, timestamp);
    return { status: 202, body: { id } };
  }

  #place(jid: string): { readonly endpoint: Endpoint; readonly chat: string } | undefined {
    const [, name = '', chat = ''] = /^webhook:([^:]+):(.+)$/s.exec(jid) ?? [];
    const endpoint = Object.hasOwn(this.#endpoints, name) ? this.#endpoints[name] : undefined;
    return endpoint === undefined ? undefined : { endpoint, chat };
  }

  /** Every try of a message has the same id. */
  async #send(jid: string, text: string): Promise<void> {
    const place = this.#place(jid);
    if (place === undefined) throw new Error(`there is no endpoint for ${jid}`);
    const { endpoint, chat } = place;
    const { url } = endpoint;
    if (url === undefined) throw new Error(`the endpoint of ${jid} has no "url" to send answers to`);
    await this.#unfinished.send(jid, text, {
      begin: () => ({ id: randomUUID() }),
      go: ({ id }) => post(url, id, JSON.stringify({ chat, text, id }), endpoint.secret),
    });
  }
}

/** Rejects if it was not taken. */
async function post(url: string, id: string, body: string, secret: string | undefined): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await signature(id, body, secret)) },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(sendMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
}

async function signature(id: string, body: string, secret: string | undefined): Promise<Record<string, string>> {
  const now = new Date();
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(now.getTime() / 1000)) };
  if (secret === undefined) return headers;
  const { Signer } = await import('./signer.ts');
  return { ...headers, 'webhook-signature': new Signer(secret).sign(id, now, body) };
}
