import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A store of objects as there are many: PUT and GET by path. */
export class ObjectServer {
  readonly #objects = new Map<string, Buffer>();
  readonly #server: Server;
  isFull = false;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? '';
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      if (request.method === 'PUT') {
        if (!this.isFull) this.#objects.set(path, Buffer.concat(parts));
        response.writeHead(this.isFull ? 507 : 200).end();
      } else response.writeHead(this.#objects.has(path) ? 200 : 404).end(this.#objects.get(path));
    });
  }

  static async start(): Promise<ObjectServer> {
    const made = new ObjectServer();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get paths(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Changes what is in the parts of all objects. */
  spoil(): void {
    for (const path of this.#objects.keys()) if (/\/\d+$/.test(path)) this.#objects.set(path, Buffer.from('spoilt'));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** The module of a plugin that keeps artifacts on such a server. */
export function storingModule(url: string): string {
  return `const at = (key) => '${url}/bucket/' + key;
export default {
  name: 'objects', version: '1.0.0',
  provides: { artifactStore: () => ({
    name: 'objects',
    put: async (key, content, { signal }) => {
      const body = Buffer.from(content, 'base64');
      const { ok, status } = await fetch(at(key), { method: 'PUT', body, signal });
      if (!ok) throw new Error('the server answered ' + status);
    },
    get: async (key, { signal }) => {
      const answer = await fetch(at(key), { signal });
      if (answer.status === 404) return null;
      if (!answer.ok) throw new Error('the server answered ' + answer.status);
      return Buffer.from(await answer.arrayBuffer()).toString('base64');
    },
  }) },
};
`;
}
