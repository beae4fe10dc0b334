import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What passes. `undefined` ends the connection instead, in both directions. */
export type Passing = (bytes: Buffer) => Buffer | undefined;

/** Stands between a client and a server on this machine, and may change or cut what passes. */
export class Passage {
  /** What a client sends. Default: passes as it is. */
  fromClient: Passing = (bytes) => bytes;
  /** What the server sends. Default: passes as it is. */
  fromServer: Passing = (bytes) => bytes;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    this.#server = createServer((client) => this.#join(client, connect(port, '127.0.0.1')));
  }

  /** In front of a port of 127.0.0.1. */
  static async start(port: number): Promise<Passage> {
    const proxy = new Passage(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends the connections that there are. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends all connections, and takes no more. */
  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    const cut = () => {
      for (const socket of [client, server]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    const pass = (from: Socket, to: Socket, passing: (bytes: Buffer) => Buffer | undefined) => {
      from.on('data', (bytes) => {
        const passed = passing(bytes as Buffer);
        if (passed === undefined) cut();
        else to.write(passed);
      });
    };
    pass(client, server, (bytes) => this.fromClient(bytes));
    pass(server, client, (bytes) => this.fromServer(bytes));
  }
}
