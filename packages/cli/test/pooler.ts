import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A session on the server, and the client that has it right now. */
interface Backend {
  readonly socket: Socket;
  client: Client | undefined;
  /** What has come of a message that is not whole yet. */
  rest: Buffer;
}

interface Client {
  readonly socket: Socket;
  readonly waiting: Buffer[];
  backend: Backend | undefined;
}

/**
 * Stands before PostgreSQL as poolers do that pool transactions: after each of them a session is anybody's. Each answer may be made to
 * take longer.
 */
export class Pooler {
  delayMs = 0;
  readonly #port: number;
  readonly #server: Server;
  readonly #free: Backend[] = [];
  readonly #clients: Client[] = [];
  readonly #sockets: Socket[] = [];

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((socket) => this.#welcome(socket));
  }

  /** In front of a port of 127.0.0.1. */
  static async start(port: number): Promise<Pooler> {
    const pooler = new Pooler(port);
    pooler.#server.listen(0, '127.0.0.1');
    await once(pooler.#server, 'listening');
    return pooler;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Each client brings a session along, which is the one that it logs in on. */
  #welcome(socket: Socket): void {
    const client: Client = { socket, waiting: [], backend: undefined };
    const backend: Backend = { socket: connect(this.#port, '127.0.0.1'), client, rest: Buffer.alloc(0) };
    client.backend = backend;
    this.#clients.push(client);
    this.#sockets.push(socket, backend.socket);
    backend.socket.on('error', () => {}).on('data', (bytes) => this.#answer(backend, bytes as Buffer));
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        // A goodbye is for the pooler.
        if ((bytes as Buffer)[0] === 0x58) return;
        client.waiting.push(bytes as Buffer);
        this.#serve();
      });
  }

  #serve(): void {
    for (const client of this.#clients) {
      if (client.waiting.length === 0) continue;
      // The one that was used last.
      const backend = client.backend ?? this.#free.pop();
      if (backend === undefined) continue;
      client.backend = backend;
      backend.client = client;
      for (const bytes of client.waiting.splice(0)) backend.socket.write(bytes);
    }
  }

  #answer(backend: Backend, bytes: Buffer): void {
    const { client } = backend;
    if (client !== undefined) setTimeout(() => client.socket.write(bytes), this.delayMs);
    let rest = Buffer.concat([backend.rest, bytes]);
    let isIdle = false;
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const length = rest.readUInt32BE(1) + 1;
      isIdle = rest[0] === 0x5a && rest[5] === 0x49;
      rest = rest.subarray(length);
    }
    backend.rest = rest;
    if (!isIdle || rest.length > 0 || client === undefined) return;
    client.backend = undefined;
    backend.client = undefined;
    this.#free.push(backend);
    this.#serve();
  }
}
