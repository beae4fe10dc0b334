import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { McpAccess } from 'patchbay-sdk';
import type { McpHttp } from './mcp-http.ts';
import type { OfferedTools } from './mcp-protocol.ts';
import { McpSocket } from './mcp-socket.ts';

/** How long connections have to end by themselves. */
const graceMs = 250;

/** The MCP server of one turn: over HTTP on a port of its own, and over a socket in the folder of the attempt. */
export class TurnMcp {
  readonly #tools: OfferedTools;
  readonly #token = randomBytes(32).toString('base64url');
  readonly #socket: McpSocket;
  #server: HttpServer | undefined;
  #http: Promise<McpHttp> | undefined;
  #access: Promise<McpAccess> | undefined;
  #isClosed = false;

  /** Listens to nothing yet. */
  constructor(tools: OfferedTools, dir: string) {
    this.#tools = tools;
    this.#socket = new McpSocket(tools, dir, this.#token);
  }

  /** Begins to listen, once. Rejects if it cannot, or is closed. */
  open(): Promise<McpAccess> {
    this.#access ??= this.#listen();
    return this.#access;
  }

  /** Ends calls under way and connections; nothing listens any more, and no file is left. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#access?.catch(() => undefined);
    const server = this.#server;
    // What calls have come to is on its way.
    await setImmediate();
    await (await this.#http?.catch(() => undefined))?.close().catch(() => undefined);
    await this.#socket.close();
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    // A connection that was answering becomes idle after that.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    const late = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
  }

  async #listen(): Promise<McpAccess> {
    const listener = getRequestListener(async (request) => (await this.#serving()).fetch(request), {
      overrideGlobalObjects: false,
    });
    // A call may wait for a person: only its head must come in time.
    const server = createServer({ requestTimeout: 60_000 }, (incoming, outgoing) => void listener(incoming, outgoing));
    server.maxConnections = 256;
    this.#server = server.listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), this.#socket.listen()]);
    if (this.#isClosed) throw new Error('the turn is over');
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/mcp`, token: this.#token, command: this.#socket.command };
  }

  /** The library of the protocol is loaded by who is asked for something. */
  #serving(): Promise<McpHttp> {
    this.#http ??= import('./mcp-http.ts').then(({ mcpHttp }) => mcpHttp(this.#tools, this.#token));
    return this.#http;
  }
}
