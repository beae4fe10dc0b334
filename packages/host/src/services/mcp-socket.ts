import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { isToken } from '../api/token.ts';
import { entryFlags } from '../sandbox/entry.ts';
import type { OfferedTools } from './mcp-protocol.ts';
import { socketName } from './turn-tools.ts';

const greetMs = 5000;
const mostConnections = 64;
const graceMs = 250;
const bridge = join(import.meta.dirname, `mcp-stdio${extname(import.meta.filename)}`);

/** Serves the tools of a turn on a socket in a folder, to whoever greets with the token: `mcp-stdio` does, for its starter. */
export class McpSocket {
  /** The program that connects its standard input and output to the socket. */
  readonly command: readonly string[];
  readonly #tools: OfferedTools;
  readonly #dir: string;
  readonly #token: string;
  readonly #connections = new Set<Socket>();
  #server: Server | undefined;

  constructor(tools: OfferedTools, dir: string, token: string) {
    this.#tools = tools;
    this.#dir = dir;
    this.#token = token;
    // Agents of other turns see the socket too: the token is what they have not.
    this.command = [process.execPath, ...entryFlags, bridge, join(dir, socketName), token];
  }

  /** Begins to listen. Rejects if it cannot. */
  async listen(): Promise<void> {
    const server = createServer((socket) => this.#greet(socket));
    server.maxConnections = mostConnections;
    rmSync(join(this.#dir, socketName), { force: true });
    // The path of a socket must be short; that of an attempt need not be.
    const near = mkdtempSync(join(tmpdir(), 'patchbay-mcp-'));
    try {
      symlinkSync(this.#dir, join(near, 'd'), 'dir');
      server.listen(join(near, 'd', socketName));
      await once(server, 'listening');
    } finally {
      rmSync(near, { recursive: true, force: true });
    }
    this.#server = server;
  }

  /** Ends all connections; no file is left. Never rejects. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    const all = [...this.#connections];
    for (const socket of all) socket.destroySoon();
    // One that does not read what it was told is not waited for.
    const late = setTimeout(() => all.forEach((socket) => void socket.destroy()), graceMs);
    await closed;
    clearTimeout(late);
    rmSync(join(this.#dir, socketName), { force: true });
  }

  #greet(socket: Socket): void {
    this.#connections.add(socket);
    socket.on('close', () => this.#connections.delete(socket));
    // Whoever goes away in the middle is gone: there is nobody to tell.
    socket.on('error', () => socket.destroy());
    const late = setTimeout(() => socket.destroy(), greetMs).unref();
    let greeting = Buffer.alloc(0);
    const onReadable = () => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        greeting = Buffer.concat([greeting, chunk]);
        const end = greeting.indexOf(0x0a);
        if (end === -1 && greeting.length < 200) continue;
        clearTimeout(late);
        socket.off('readable', onReadable);
        if (end === -1 || !isToken(greeting.subarray(0, end).toString(), this.#token)) return void socket.destroy();
        socket.unshift(greeting.subarray(end + 1));
        void this.#serve(socket);
        return;
      }
    };
    socket.on('readable', onReadable);
  }

  async #serve(socket: Socket): Promise<void> {
    const [{ serveStdio, StdioServerTransport }, { serverOf }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('./mcp-protocol.ts'),
    ]);
    const transport = new StdioServerTransport(socket, socket);
    const handle = serveStdio(() => serverOf(this.#tools), { transport, onerror: () => socket.destroy() });
    socket.once('close', () => void handle.close().catch(() => undefined));
  }
}
