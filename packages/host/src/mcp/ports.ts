import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf, PatchbayError } from 'patchbay-sdk';

const loopback = '127.0.0.1';
const tries = 20;

/** The ports that servers listen on: no two get the same. */
export class Ports {
  readonly #taken = new Set<number>();

  /** The port that is asked for, if nobody has it; any that is free else. Give it back with `release`. Throws PORT_TAKEN. */
  async take(asked: number | null): Promise<number> {
    if (asked !== null && !this.#taken.has(asked)) {
      // Before it is known to be free: somebody else may ask for it meanwhile.
      this.#taken.add(asked);
      if ((await free(asked)) === asked) return asked;
      this.#taken.delete(asked);
    }
    for (let left = tries; left > 0; left--) {
      const port = await free(0);
      if (port === undefined || this.#taken.has(port)) continue;
      this.#taken.add(port);
      return port;
    }
    throw new PatchbayError('PORT_TAKEN', `there is no free port on ${loopback}`);
  }

  /** They may be given to others. */
  release(ports: readonly number[]): void {
    for (const port of ports) this.#taken.delete(port);
  }
}

/** The port, if nobody listens on it; for 0 any such. */
async function free(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, loopback);
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw new PatchbayError('PORT_TAKEN', messageOf(error));
    return undefined;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
