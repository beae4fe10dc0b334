import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limits } from './limits.ts';
import { Refused } from './refused.ts';
import { isToken } from './token.ts';

/** What the server knows of each request. */
export interface Env {
  Bindings: HttpBindings;
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
const everywhere = new Set(['0.0.0.0', '::']);
const windowS = 10;

/** A name or address, as it stands in the Host header. */
export function inHeader(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address.toLowerCase();
}

/**
 * Lets only those through who called this machine by a name that is its own: a page whose name was made to lead here, which
 * the browser thinks is of the same origin, did not.
 */
export function hostGuard(bound: string): MiddlewareHandler<Env> {
  return async ({ env }, next) => {
    const name = nameIn(env.incoming.headers.host);
    if (name === undefined || !(loopback.has(name) || name === inHeader(bound) || isOurs(name, bound))) {
      throw new Refused(403, 'REQUEST_DENIED', `Host: ${env.incoming.headers.host ?? 'none'} is not this server`);
    }
    await next();
  };
}

/** Whoever listens everywhere is called by all addresses of the machine. */
function isOurs(name: string, bound: string): boolean {
  if (!everywhere.has(bound)) return false;
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.some(({ address }) => inHeader(address) === name);
}

function nameIn(host: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? '')?.[1];
}

/** Refuses what a page of another origin sends: nothing here is for other pages. */
export const originGuard: MiddlewareHandler<Env> = async ({ env }, next) => {
  const { origin, host, 'sec-fetch-site': site } = env.incoming.headers;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
    throw new Refused(403, 'REQUEST_DENIED', `pages of ${origin} may not call this server`);
  }
  if (site === 'cross-site' || site === 'same-site') {
    throw new Refused(403, 'REQUEST_DENIED', 'pages of other origins may not call this server');
  }
  await next();
};

/** Lets only those through who have the token, unless the path is `open` to all; and nobody too often. */
export function tokenGuard(
  token: string,
  open: ReadonlySet<string>,
  limits: Pick<Limits, 'known' | 'unknown'>,
): MiddlewareHandler<Env> {
  // Apart, so that nobody without the token can use up what those have who hold it.
  const known = new RateLimiterMemory({ points: limits.known, duration: windowS });
  const unknown = new RateLimiterMemory({ points: limits.unknown, duration: windowS });
  return async (c, next) => {
    const given = /^Bearer ([\w-]{1,200})$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const isKnown = given !== undefined && isToken(given, token);
    await (isKnown ? take(known, 'token') : take(unknown, c.env.incoming.socket.remoteAddress ?? ''));
    if (!isKnown && !open.has(c.req.path)) throw unauthorized(c, given);
    await next();
  };
}

async function take(limiter: RateLimiterMemory, who: string): Promise<void> {
  try {
    await limiter.consume(who);
  } catch (full) {
    if (!(full instanceof RateLimiterRes)) throw full;
    const retryAfter = String(Math.max(1, Math.ceil(full.msBeforeNext / 1000)));
    throw new Refused(429, 'REQUEST_LIMITED', `too many requests: try again in ${retryAfter} s`, {
      headers: { 'retry-after': retryAfter },
    });
  }
}

function unauthorized(c: Context, given: string | undefined): Refused {
  const inAddress = ['token', 'access_token', 'api_token'].some((name) => c.req.query(name) !== undefined);
  const message = inAddress
    ? 'a token in an address ends up in logs: send it in the header "Authorization: Bearer …"'
    : given === undefined
      ? 'send the token in the header "Authorization: Bearer …"'
      : 'this is not the token';
  return new Refused(401, 'REQUEST_DENIED', message, { headers: { 'www-authenticate': 'Bearer' } });
}
