import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { sample } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { callHttp, type HttpCall, HttpClient } from '../../src/outbound/http.ts';

/** What a handler's server got. */
export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on this machine, until the test is over. */
export interface Handler {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** How often somebody connected. */
  connections: number;
  /** Connections that are open. */
  readonly sockets: Set<Socket>;
}

/** How a server answers the request of this number, from 0. */
export type Answering = (response: ServerResponse, number: number, request: IncomingMessage) => void;

/** Answers with this status and body. */
export function answer(status: number, body: unknown = '', headers: Record<string, string> = {}): Answering {
  return (response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Starts an HTTP server that reads each request whole before it answers. */
export async function handler(answering: Answering, address = '127.0.0.1', port = 0): Promise<Handler> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    answering(response, received.length - 1, request);
  });
  return listening(server, received, address, port);
}

/** Starts a server that does with each connection what it is told to. */
export function rawHandler(onSocket: (socket: Socket) => void): Promise<Handler> {
  return listening(createTcpServer(onSocket), []);
}

/** Lets a server listen, and stops it with the test. */
export async function listening(
  server: Server,
  received: Received[],
  address = '127.0.0.1',
  port = 0,
): Promise<Handler> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    started.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(port, address);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port: bound } = server.address() as AddressInfo;
  const started: Handler = { url: `http://${address}:${bound}/hook`, port: bound, received, connections: 0, sockets };
  return started;
}

/** When all connections to a server are gone, in whatever way. */
export async function disconnected({ sockets }: Handler): Promise<void> {
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
}

/** A client until the test is over. */
export function newClient(options?: ConstructorParameters<typeof HttpClient>[0]): HttpClient {
  const client = new HttpClient(options);
  onTestFinished(() => client.close());
  return client;
}

/** What a test may want to be different about a call. */
export interface Calling extends Partial<Omit<HttpCall, 'plugin' | 'wait'>> {
  /** Before the retry. @default not at all */
  readonly wait?: HttpCall['wait'] | 'as usual';
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
  /** @default that very host may be called */
  readonly grants?: readonly string[];
  /** Its name. */
  readonly plugin?: string;
}

/** Calls a handler at this address for an accepted turn. */
export function call(
  url: string,
  { headers = {}, timeoutMs = 20_000, grants, plugin = 'notifier', wait, ...given }: Calling = {},
) {
  const handling = { event: 'turn:accepted', type: 'http', url, headers, timeoutMs } as const;
  return callHttp(handling, {
    client: given.client ?? newClient(),
    plugin: { name: plugin, grants: grants ?? [`net:${new URL(url).host}`] },
    env: {},
    payload: sample('turn:accepted'),
    key: 'delivery-1',
    ...(wait === 'as usual' ? {} : { wait: wait ?? (async () => {}) }),
    ...given,
  });
}
