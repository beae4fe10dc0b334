import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Place } from '../src/chat/api.ts';
import type { ChatEvent } from '../src/chat/follow.ts';

type Fields = Record<string, unknown>;

/** A host, as far as a chat sees it: what has happened stays when the server ends, and is there when it starts again. */
export class ChatServer {
  readonly events: ChatEvent[] = [];
  readonly pending: Fields[] = [];
  readonly decisions: Fields[] = [];
  readonly requests: string[] = [];
  /** What it does with a message; answers it by default. */
  heed: (text: string, event_id: string) => void = (text, event_id) => this.answer(`you said ${text}`, event_id);
  readonly workspaces = ['home'];
  #server: Server | undefined;
  #streams = new Set<ServerResponse>();

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#handle(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return this;
  }

  /** As if it were killed. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#streams.clear();
    server?.closeAllConnections();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  readonly locate = (): Place | undefined => {
    if (this.#server === undefined) return undefined;
    return { url: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`, token: 'secret' };
  };

  happen(type: string, payload: Fields, more: { id?: string; run_id?: string } = {}): ChatEvent {
    const seq = this.events.length + 1;
    const { id = `e${seq}`, run_id = null } = more;
    const event = { seq, id, type, at: new Date().toISOString(), run_id, payload };
    this.events.push(event);
    for (const stream of this.#streams) tell(stream, event);
    return event;
  }

  answer(content: string, answers: string): void {
    this.happen('message:sent', { chat_jid: 'terminal:home', sender_name: 'Patchbay', content, is_bot: true, answers });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const called = `${request.method} ${pathname.replace('/api/v1', '')}`;
    this.requests.push(called);
    if (called === 'GET /events/stream') {
      this.#stream(request, response);
      return;
    }
    const isKnown = request.headers.authorization === 'Bearer secret';
    const body = (text === '' ? {} : JSON.parse(text)) as Fields;
    const limit = Number(searchParams.get('limit') ?? 50);
    const [status, said] = isKnown ? this.#answer(called, body, limit) : [401, problem('REQUEST_UNAUTHORIZED', 'no')];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  }

  #answer(called: string, body: Fields, limit: number): [number, object] {
    const [, id] = /^POST \/approvals\/(.+)$/.exec(called) ?? [];
    if (id !== undefined) return this.#decide(decodeURIComponent(id), body);
    switch (called) {
      case 'GET /chats':
        return [200, { items: this.workspaces.map((workspace) => ({ workspace })) }];
      case 'GET /events':
        return [200, { items: this.events.slice(-limit).toReversed(), next: null }];
      case 'GET /approvals':
        return [200, { items: this.pending }];
      case 'GET /chats/home/messages':
        return [200, { items: this.#said().slice(-limit) }];
      case 'DELETE /chats/home/messages':
        this.happen('chat:cleared', { chat_jid: 'terminal:home' });
        return [200, { cleared: true }];
      case 'POST /chats/home/messages':
        return [202, { event_id: this.#take(body) }];
      default:
        return [404, problem('REQUEST_UNKNOWN', `there is no ${called}`)];
    }
  }

  #take({ text, sender, message_id }: Fields): string {
    const id = `m.${String(message_id)}`;
    if (this.events.some((event) => event.id === id)) return id;
    const said = { chat_jid: 'terminal:home', sender_name: sender, content: text, message_id, is_bot: false };
    this.happen('message:received', said, { id });
    this.heed(String(text), id);
    return id;
  }

  #decide(id: string, body: Fields): [number, object] {
    const at = this.pending.findIndex(({ approval_id }) => approval_id === id);
    if (at < 0) return [409, problem('APPROVAL_INVALID', `${id} does not wait`)];
    const [call] = this.pending.splice(at, 1);
    this.decisions.push({ id, ...body });
    this.happen('approval:decided', { approval_id: id, decision: body['decision'], approver: body['by'], call });
    return [200, {}];
  }

  #said(): Fields[] {
    return this.events
      .filter(({ type }) => type.startsWith('message:'))
      .map(({ id, at, payload: { sender_name, content, is_bot } }) => ({
        event_id: id,
        at,
        sender_name,
        content,
        is_bot,
      }));
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const after = Number(request.headers['last-event-id']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 2000\nid: ${after}\n\n: still there\n\n`);
    for (const event of this.events) if (event.seq > after) tell(response, event);
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }
}

function tell(stream: ServerResponse, event: ChatEvent): void {
  stream.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function problem(code: string, message: string): object {
  return { error: { code, message, hint: 'Look.' } };
}
