import { Server, type ServerContext } from '@modelcontextprotocol/server';
import type { ServiceResponse, ToolInfo } from 'patchbay-sdk';
import type { CallOptions } from './call.ts';
import { answerOf } from './mcp-answer.ts';

/** The tools that a server offers. */
export interface OfferedTools {
  list(): Promise<readonly ToolInfo[]>;
  call(name: string, input: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ServiceResponse>;
}

/** How often a client that asked for it is told that a call still waits. */
const tellEveryMs = 10_000;

/** A server for one connection: it lists tools and calls them, and knows nothing else to do. */
export function serverOf(tools: OfferedTools): Server {
  const server = new Server({ name: 'patchbay', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => {
    const listed = await tools.list();
    return {
      tools: listed.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: { ...inputSchema, type: 'object' as const },
      })),
    };
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }, { mcpReq }) => {
    const progress = new Progress(mcpReq);
    try {
      const waiting = (id: string) => progress.tell(`a person is asked: ${id}`);
      return answerOf(await tools.call(name, input, { signal: mcpReq.signal, waiting }));
    } finally {
      progress.end();
    }
  });
  return server;
}

/** Tells a client that its call still waits, if it asked for that. */
class Progress {
  readonly #request: ServerContext['mcpReq'];
  #timer: NodeJS.Timeout | undefined;
  #told = 0;

  constructor(request: ServerContext['mcpReq']) {
    this.#request = request;
  }

  tell(message: string): void {
    const { _meta, notify } = this.#request;
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    const say = () => {
      this.#told++;
      const params = { progressToken, progress: this.#told, message };
      // Whoever is gone need not be told.
      notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    say();
    this.#timer = setInterval(say, tellEveryMs).unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
