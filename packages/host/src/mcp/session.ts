import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { messageOf, type ToolInfo } from 'patchbay-sdk';
import { inTime } from '../capabilities/in-time.ts';
import { NotSent } from './stdio.ts';

/** Longer than any policy lets a call take. */
const longestCallMs = 24 * 60 * 60_000;
/** Taking leave of a server that does not listen. */
const leaveMs = 1_000;
const mostTools = 1_000;
const mostDescription = 16 * 1024;
const mostHeard = 500;
const nothing = () => undefined;

/** A session with a server. */
export class Session {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #listMs: number;
  #tools: Promise<readonly ToolInfo[]> | undefined;
  #isOpen = true;

  private constructor(client: Client, transport: Transport, listMs: number) {
    this.#client = client;
    this.#transport = transport;
    this.#listMs = listMs;
    client.onclose = () => {
      this.#isOpen = false;
    };
  }

  /**
   * Opens one: when it resolves, the server has said what it is. `hear` is told what goes wrong besides. Nearly all servers understand the
   * protocol as it was; `auto` is for those that want the newest. Rejects with what went wrong.
   */
  static async open(
    transport: Transport,
    timeoutMs: number,
    signal: AbortSignal,
    hear: (problem: string) => void,
    mode: 'legacy' | 'auto' = 'legacy',
  ): Promise<Session> {
    let session: Session | undefined;
    const client = new Client(
      { name: 'patchbay', version: '1' },
      {
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, onChanged: () => session?.forgetTools() } },
        // What a server promises of its answers is for whoever reads them; its patterns are not run here.
        jsonSchemaValidator: {
          getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
        },
      },
    );
    client.onerror = (error) => hear(messageOf(error).slice(0, mostHeard));
    try {
      await client.connect(transport, { timeout: timeoutMs, signal });
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
    session = new Session(client, transport, timeoutMs);
    return session;
  }

  /** False once it is known to be over. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The tools of the server; asked for once, and again when it says that they are others. */
  tools(): Promise<readonly ToolInfo[]> {
    if (this.#tools === undefined) {
      const asked = this.#listed();
      this.#tools = asked;
      asked.catch(() => this.forgetTools());
    }
    return this.#tools;
  }

  forgetTools(): void {
    this.#tools = undefined;
  }

  /** Rejects if the server does not answer, or answers no result; {@link wasNotSent} tells whether it may have heard. */
  async call(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
    if (!this.#isOpen) throw new NotSent('the session is over');
    return this.#client.callTool({ name, arguments: { ...input } }, { signal, timeout: longestCallMs });
  }

  /** See {@link wasNotSent}. */
  isUnheard(error: unknown): boolean {
    return wasNotSent(error);
  }

  /** Takes leave. Never rejects. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const transport = this.#transport;
    if (transport instanceof StreamableHTTPClientTransport)
      await inTime(leaveMs, () => transport.terminateSession()).catch(nothing);
    await inTime(leaveMs, () => this.#client.close()).catch(nothing);
  }

  async #listed(): Promise<readonly ToolInfo[]> {
    if (!this.#isOpen) throw new NotSent('the session is over');
    // All pages together.
    const signal = AbortSignal.timeout(this.#listMs);
    const { tools } = await this.#client.listTools({}, { timeout: this.#listMs, signal });
    const named = new Map(tools.slice(0, mostTools).map((tool) => [tool.name, tool]));
    return [...named.values()].map(({ name, description = '', inputSchema }) => {
      const told = description.slice(0, mostDescription);
      return { name, description: told, inputSchema: inputSchema as ToolInfo['inputSchema'] };
    });
  }
}

/** Whether a server has answered, and will have nothing to do with the protocol as it was. */
export function wantsAnother(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkHttpError && error.status === 400);
}

const refused = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether a call that failed has surely not been heard by the server. */
function wasNotSent(error: unknown): boolean {
  if (error instanceof NotSent) return true;
  if (error instanceof SdkHttpError) return isUnknownSession(error);
  if (error instanceof SdkError) return error.code === SdkErrorCode.NotConnected;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (refused.has((at as NodeJS.ErrnoException).code ?? '')) return true;
    if (at instanceof AggregateError && at.errors.length > 0) return at.errors.every((one) => wasNotSent(one));
  }
  return false;
}

/** The server does not know the session, and has looked at nothing else. Not all say so as the protocol has it, by 404. */
function isUnknownSession({ status, message }: SdkHttpError): boolean {
  return status === 404 || (status === 400 && /session/i.test(message));
}
