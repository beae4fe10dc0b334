import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { isTooLong } from './body.ts';
import type { InboundLimits } from './limits.ts';
import type { Reception } from './reception.ts';
import { type Refusal, type Reply, refuse } from './reply.ts';
import type { Route } from './routes.ts';

/** What a webhook server answers with. */
export interface ServerParts {
  readonly routes: readonly Route[];
  readonly reception: Reception;
  readonly limits: InboundLimits;
}

type Env = { Bindings: HttpBindings };

/** How often it is looked for clients that are too slow. */
const lookEveryMs = 1000;

function appOf({ routes, reception }: ServerParts): Hono<Env> {
  // As it was sent: what only leads to a path when it is tidied up leads nowhere.
  const app = new Hono<Env>({ getPath: (_, options) => options?.env?.incoming.url?.split('?', 1)[0] ?? '' });
  const answer = (c: Context<Env>, { status, body, headers }: Reply) => {
    const last = reception.isStopping ? { connection: 'close' } : undefined;
    return c.body(body, status as 200, { 'content-type': 'application/json', ...headers, ...last });
  };
  for (const route of routes) {
    app.post(route.path, async (c) => answer(c, await reception.receive(route, c.env.incoming)));
  }
  const paths = new Set(routes.map(({ path }) => path));
  app.notFound((c) => answer(c, refuse(paths.has(c.req.path) ? 'METHOD' : 'NO_ROUTE')));
  return app;
}

/** The HTTP server below the reception: it keeps clients within bounds that a request never gets to see. */
export class WebhookServer {
  readonly #server: Server;
  readonly #reception: Reception;
  readonly #limits: InboundLimits;
  /** Connections on which there was no request yet. */
  readonly #silent = new Set<Socket>();

  constructor(parts: ServerParts) {
    const { reception, limits } = parts;
    this.#reception = reception;
    this.#limits = limits;
    const listener = getRequestListener(appOf(parts).fetch, { errorHandler: () => responseOf(refuse('MALFORMED')) });
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#silent.delete(incoming.socket);
      void listener(incoming, outgoing);
    };
    this.#server = createServer(optionsOf(limits), answer);
    // Node leaves the rest out silently: one more than is allowed, to see that there are too many.
    this.#server.maxHeadersCount = limits.headers + 1;
    this.#server.maxConnections = limits.connections;
    this.#server.on('connection', (socket: Socket) => {
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
    this.#server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      // Who asks first is told before it sends.
      if (!isTooLong(incoming.headers, limits)) outgoing.writeContinue();
      answer(incoming, outgoing);
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseRaw(socket, error.code));
  }

  /** Gives the port. Rejects as the system does. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more connections, waits a while for requests under way, and closes what is left then. */
  async close(): Promise<void> {
    this.#reception.stop();
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#silent) socket.destroy();
    const timer = setTimeout(() => this.#server.closeAllConnections(), this.#limits.drainMs);
    await closed;
    clearTimeout(timer);
  }
}

function optionsOf(limits: InboundLimits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(lookEveryMs, limits.headersMs),
    // Answered by us, with a reason.
    requireHostHeader: false,
    noDelay: true,
  };
}

function responseOf({ status, body, headers }: Reply): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}

const byCode: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'SLOW',
  HPE_HEADER_OVERFLOW: 'HEADERS',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_LONG',
};

/** Answers what never became a request. */
function refuseRaw(socket: Duplex, code: string | undefined): void {
  // Not in the middle of another answer: looked up where Node itself does when nobody listens.
  const isAnswering = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage?.headersSent === true;
  if (!socket.writable || code === 'ECONNRESET' || isAnswering) {
    socket.destroy();
    return;
  }
  const { status, body } = refuse(byCode[code ?? ''] ?? 'MALFORMED');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
