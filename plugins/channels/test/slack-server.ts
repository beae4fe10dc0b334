import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A call of the Web API, as it came in. */
export interface Call {
  readonly method: string;
  readonly token: string;
  readonly args: Readonly<Record<string, string>>;
}
type Answer = object | { readonly status: number; readonly headers?: Record<string, string> };

/** One WebSocket of Slack's side: frames as RFC 6455 has them, as far as Socket Mode needs them. */
class Line {
  readonly #socket: Socket;
  readonly #heard: (text: string) => void;
  #rest = Buffer.alloc(0);

  constructor(socket: Socket, heard: (text: string) => void) {
    this.#socket = socket;
    this.#heard = heard;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', () => {});
  }

  send(message: object): void {
    this.#frame(0x1, Buffer.from(JSON.stringify(message)));
  }

  /** Without a word: the network is gone. */
  cut(): void {
    this.#socket.destroy();
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  #frame(opcode: number, payload: Buffer): void {
    const { length } = payload;
    const head =
      length < 126
        ? Buffer.from([0x80 | opcode, length])
        : Buffer.from([0x80 | opcode, 126, length >> 8, length & 255]);
    this.#socket.write(Buffer.concat([head, payload]));
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 2) {
      const [first = 0, second = 0] = this.#rest;
      const short = second & 127;
      const at = short === 126 ? 4 : 2;
      if (this.#rest.length < at + 4) return;
      const length = short === 126 ? this.#rest.readUInt16BE(2) : short;
      if (this.#rest.length < at + 4 + length) return;
      const mask = this.#rest.subarray(at, at + 4);
      const payload = Buffer.from(
        this.#rest.subarray(at + 4, at + 4 + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0)),
      );
      this.#rest = this.#rest.subarray(at + 4 + length);
      const opcode = first & 15;
      if (opcode === 0x1) this.#heard(payload.toString());
      if (opcode === 0x9) this.#frame(0xa, payload);
      if (opcode === 0x8) {
        this.#frame(0x8, payload);
        this.#socket.end();
      }
    }
  }
}

/** Slack, on this machine: its Web API and its Socket Mode, with the shapes of their answers and messages. */
export class SlackServer {
  readonly calls: Call[] = [];
  /** The envelopes that were acknowledged, in that order. */
  readonly acked: string[] = [];
  /** What conversations hold, the newest first. */
  readonly history: Record<string, object[]> = {};
  /** In the place of the usual answers of a method, one after the other. */
  readonly answers: Record<string, Answer[]> = {};
  /** Whether it greets those who connect. */
  greets = true;
  readonly #server: Server;
  readonly #lines: Line[] = [];
  readonly #sockets = new Set<Socket>();
  #wake: () => void = () => {};

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
    server.on('upgrade', (request, socket: Socket) => this.#connect(request, socket));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<SlackServer> {
    const server = createServer();
    const slack = new SlackServer(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return slack;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/api/`;
  }

  /** How often somebody has connected. */
  get connections(): number {
    return this.#lines.length;
  }

  /** What was posted, in order. */
  get posted(): readonly Readonly<Record<string, string>>[] {
    return this.calls.filter(({ method }) => method === 'chat.postMessage').map(({ args }) => args);
  }

  /** Sends an event as it does to apps; gives the number of its envelope. */
  event(event: object, retry?: { readonly num: number }, envelope_id: string = randomUUID()): string {
    this.#line().send({
      envelope_id,
      type: 'events_api',
      accepts_response_payload: false,
      retry_attempt: retry?.num ?? 0,
      retry_reason: retry === undefined ? '' : 'timeout',
      payload: {
        token: 'unused',
        team_id: 'T1',
        api_app_id: 'A1',
        event,
        type: 'event_callback',
        event_id: `Ev${envelope_id.slice(0, 8)}`,
        event_time: 1_700_000_000,
      },
    });
    return envelope_id;
  }

  /** Something that is no event. */
  send(message: object): void {
    this.#line().send(message);
  }

  /** Asks the other side to come again, as Slack does every few hours. */
  refresh(): void {
    this.send({ type: 'disconnect', reason: 'refresh_requested', debug_info: { host: 'wss-1' } });
  }

  cut(): void {
    this.#line().cut();
  }

  /** Resolves when `is` holds. */
  async until(is: () => boolean): Promise<void> {
    while (!is()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 20);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #line(): Line {
    const line = this.#lines.at(-1);
    if (line === undefined) throw new Error('nobody has connected');
    return line;
  }

  #connect(request: IncomingMessage, socket: Socket): void {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const line = new Line(socket, (text) => {
      this.acked.push((JSON.parse(text) as { envelope_id: string }).envelope_id);
      this.#wake();
    });
    this.#lines.push(line);
    if (this.greets) {
      const connection_info = { app_id: 'A1' };
      line.send({
        type: 'hello',
        num_connections: 1,
        connection_info,
        debug_info: { approximate_connection_time: 18060 },
      });
    }
    this.#wake();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const method = (request.url ?? '').replace('/api/', '');
    const args = Object.fromEntries(new URLSearchParams(body));
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    this.calls.push({ method, token, args });
    const answer = this.answers[method]?.shift() ?? this.#usual(method, args);
    if ('status' in answer)
      response.writeHead(answer.status as number, (answer as { headers?: Record<string, string> }).headers);
    else response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
    this.#wake();
  }

  #usual(method: string, args: Record<string, string>): object {
    switch (method) {
      case 'auth.test':
        return {
          ok: true,
          url: 'https://t.slack.com/',
          team: 'T',
          user: 'patchbay',
          team_id: 'T1',
          user_id: 'UBOT',
          bot_id: 'B1',
        };
      case 'apps.connections.open':
        return { ok: true, url: `ws://127.0.0.1:${this.#port}/link/?ticket=1` };
      case 'users.info':
        return {
          ok: true,
          user: { id: args['user'], name: 'x', profile: { display_name: `Name of ${args['user']}` } },
        };
      case 'conversations.info':
        return { ok: true, channel: { id: args['channel'], name: 'general', is_channel: true } };
      case 'conversations.create':
        return { ok: true, channel: { id: 'CNEW', name: args['name'] } };
      case 'conversations.history':
        return this.#page(args);
      case 'chat.postMessage':
        return { ok: true, channel: args['channel'], ts: '1700000100.000001', message: { text: args['text'] } };
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }

  #page({ channel = '', oldest = '0', limit = '100', cursor }: Record<string, string>): object {
    const all = (this.history[channel] ?? []).filter((one) => Number((one as { ts: string }).ts) > Number(oldest));
    const from = Number(cursor ?? 0);
    // Pages of two: whoever reads must turn them.
    const to = from + Math.min(Number(limit), 2);
    const next_cursor = to < all.length ? String(to) : '';
    return {
      ok: true,
      messages: all.slice(from, to),
      has_more: next_cursor !== '',
      response_metadata: { next_cursor },
    };
  }
}
