import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { PatchbayError } from 'patchbay-sdk';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { type Decision, decide, decideHost } from './guard.ts';

/** Gives the addresses of a name; rejects if there is none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** On whose behalf a call is made. */
export interface Caller {
  readonly name: string;
  /** What the operator granted, as in the lock file. */
  readonly grants: readonly string[];
  /** Whether it may call any host by name that is at a public address, without a grant. @default false */
  readonly anyHost?: boolean;
}

/** One POST. */
export interface Post {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/**
 * The connections of a host to HTTP handlers, kept alive between calls. Each plugin has its own: one that is slow uses up
 * nobody else's, and none comes to use a connection that only another was allowed to make. Proxies are not used.
 */
export class HttpClient {
  readonly #lookup: Lookup;
  readonly #agents = new Map<string, Agent>();
  readonly #closing = new AbortController();

  /** `lookup` is asked once for each connection. @default the system's */
  constructor({ lookup = addressesOf }: { readonly lookup?: Lookup } = {}) {
    this.#lookup = lookup;
  }

  /**
   * Sends, and gives the answer as soon as its head is there. Rejects if that fails, with GRANT_MISSING if the plugin may
   * not call that address. While it waits for a connection, it does not notice the signal, but nothing is sent after it.
   */
  post(caller: Caller, url: URL, { headers, body, signal }: Post): Promise<Dispatcher.ResponseData> {
    return this.#agent(caller).request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: [...headers].flat(),
      body,
      signal,
    });
  }

  /** Drops all connections; calls that are under way fail. May be called again. */
  async close(): Promise<void> {
    this.#closing.abort();
    const agents = [...this.#agents.values()];
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #agent(caller: Caller): Agent {
    const key = [caller.name, caller.anyHost === true, ...caller.grants].join('\n');
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const agent = new Agent({
      factory: (origin, options) => {
        const connect = this.#connector(new URL(origin), caller);
        return new Pool(origin, { ...options, connect });
      },
      connections: 64,
      allowH2: false,
      maxHeaderSize: 16 * 1024,
      // Each call has a deadline for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    if (this.#closing.signal.aborted) agent.destroy();
    this.#agents.set(key, agent);
    return agent;
  }

  /** Connects to one origin. The addresses are looked up and checked here, and the socket is given what was checked. */
  #connector(origin: URL, { name: plugin, anyHost = false, ...caller }: Caller): buildConnector.connector {
    const host = origin.hostname;
    const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80));
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    const isPublicName = isIP(literal) === 0 && host.replace(/\.$/, '') !== 'localhost';
    // A name may be at any address: those that are not public need a grant all the same.
    const grants = anyHost && isPublicName ? [...caller.grants, `net:${host}:${port}`] : caller.grants;
    const check = (decision: Decision) => {
      if ('refused' in decision) throw new PatchbayError('GRANT_MISSING', decision.refused, { plugin });
    };
    const checked = async (name: string) => {
      const addresses = await this.#lookup(name);
      if (addresses.length === 0) throw new Error(`${name} has no address`);
      for (const address of addresses) check(decide(host, port, address, grants));
      return addresses.map((address) => ({ address, family: isIP(address) }));
    };
    const lookup: LookupFunction = (name, { all }, callback) => {
      checked(name).then(
        (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
        (error) => callback(error, ''),
      );
    };
    const { signal } = this.#closing;
    const connect = buildConnector({ lookup, signal, allowH2: false, rejectUnauthorized: true, timeout: 10_000 });
    return (options, callback) => {
      try {
        check(isIP(literal) === 0 ? decideHost(host, port, grants) : decide(host, port, literal, grants));
      } catch (error) {
        return callback(error as Error, null);
      }
      return connect(options, callback);
    };
  }
}

async function addressesOf(name: string): Promise<string[]> {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
}
