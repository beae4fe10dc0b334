import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { appOf } from './app.ts';
import { inHeader } from './guard.ts';
import { type Limits, usualLimits } from './limits.ts';
import { answerOf, Refused } from './refused.ts';
import type { ApiParts } from './route.ts';
import { routes } from './routes.ts';
import { EventStreams } from './streams.ts';

/** Where and how the API listens. */
export interface ApiOptions {
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly token: string;
  /** @default `usualLimits` */
  readonly limits?: Partial<Limits>;
}

/** The API at work. */
export interface Api {
  /** Where it is, without the path of the routes. */
  readonly url: string;
  /** Ends the streams, lets requests under way end, and stops listening. */
  close(): Promise<void>;
}

/** Starts the API of a host. Throws PORT_TAKEN. */
export async function startApi(parts: Omit<ApiParts, 'streams'>, options: ApiOptions): Promise<Api> {
  const { host = '127.0.0.1', port, token } = options;
  const limits = { ...usualLimits, ...options.limits };
  const streams = new EventStreams(parts.service.ledger, limits);
  const app = appOf({ ...parts, streams }, { routes, token, bound: host, limits });
  const listener = getRequestListener(app.fetch, {
    hostname: inHeader(host),
    // Plugins in this process must not get other globals than they expect.
    overrideGlobalObjects: false,
    errorHandler: () => answerOf(new Refused(400, 'REQUEST_INVALID', 'the request cannot be understood')),
  });
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.headersMs, 1000),
      keepAliveTimeout: 5000,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  server.maxConnections = limits.connections;
  server.on('clientError', refuse);
  await listen(server, host, port);
  return {
    url: `http://${inHeader(host)}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      streams.close();
      const closed = once(server, 'close');
      server.close();
      // A connection that was answering becomes idle after that.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const late = setTimeout(() => server.closeAllConnections(), limits.graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (cause) {
    throw new PatchbayError('PORT_TAKEN', `cannot listen on ${host}:${port}: ${messageOf(cause)}`, { cause });
  }
}

/** What Node makes of requests that are none: too long, too slow, or not HTTP. */
const clientErrors: Record<string, readonly [status: number, reason: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, reason] = clientErrors[error.code ?? ''] ?? [400, 'Bad Request'];
  const refused = new Refused(status, 'REQUEST_INVALID', `the request was not taken: ${reason.toLowerCase()}`);
  const body = JSON.stringify({ error: refused });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
