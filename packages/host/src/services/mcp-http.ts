import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  originValidationResponse,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isToken } from '../api/token.ts';
import { type OfferedTools, serverOf } from './mcp-protocol.ts';

/** So many clients of the older protocol, which has sessions, a turn may have. */
const mostSessions = 64;

/** Answers requests of clients that hold the token. */
export interface McpHttp {
  fetch(request: Request): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Serves tools to clients of the protocol of 2026 and of those before. */
export function mcpHttp(tools: OfferedTools, token: string): McpHttp {
  const modern = createMcpHandler(() => serverOf(tools), { legacy: 'reject' });
  const sessions = new Sessions(tools);
  return {
    fetch: async (request) => {
      const refused =
        hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
        // Nothing here is for pages.
        originValidationResponse(request, []) ??
        unauthorized(request, token);
      if (refused !== undefined) return refused;
      return (await isLegacyRequest(request)) ? sessions.fetch(request) : modern.fetch(request);
    },
    close: async () => {
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

function unauthorized(request: Request, token: string): Response | undefined {
  const given = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given !== undefined && isToken(given, token)) return undefined;
  return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
}

/** Clients of the protocol before 2026: each has a session, so that it can cancel what it has called. */
class Sessions {
  readonly #tools: OfferedTools;
  readonly #open = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; server: Server }>();

  constructor(tools: OfferedTools) {
    this.#tools = tools;
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request);
    const session = this.#open.get(id);
    return session === undefined
      ? new Response('no such session', { status: 404 })
      : session.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ server }) => server.close()));
  }

  async #begin(request: Request): Promise<Response> {
    if (this.#open.size >= mostSessions) return new Response('too many sessions', { status: 503 });
    const server = serverOf(this.#tools);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#open.set(id, { transport, server }),
      onsessionclosed: (id) => void this.#open.delete(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // What was no greeting has begun nothing.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }
}
