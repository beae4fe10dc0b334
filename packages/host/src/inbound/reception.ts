import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Bodies, checkMediaType, parseBody } from './body.ts';
import type { Desk } from './desk.ts';
import type { InboundLimits } from './limits.ts';
import type { Headers } from './proof/scheme.ts';
import { Refused, type Reply, refuse } from './reply.ts';
import type { Route } from './routes.ts';

/** What a reception works with. */
export interface ReceptionParts {
  readonly desk: Desk;
  readonly limits: InboundLimits;
  isPaused(path: string): boolean;
}

/** Never kept, whatever a route says of how senders prove themselves. */
const hidden: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** What stands between a client and the handler: each request passes all of it, in this order, or is refused. */
export class Reception {
  readonly #parts: ReceptionParts;
  readonly #bodies: Bodies;
  readonly #rate: RateLimiterMemory;
  #stopping = false;

  constructor(parts: ReceptionParts) {
    this.#parts = parts;
    this.#bodies = new Bodies(parts.limits);
    this.#rate = new RateLimiterMemory({ points: parts.limits.perSecond, duration: 1 });
  }

  /** Whether nothing is taken any more. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Takes nothing any more. */
  stop(): void {
    this.#stopping = true;
  }

  /** What is to be answered. Never rejects. */
  async receive(route: Route, incoming: IncomingMessage): Promise<Reply> {
    try {
      this.#admit(route, incoming);
      const body = await this.#bodies.read(incoming);
      // Only `set-cookie` may come as a list, which nothing here looks at.
      const headers = incoming.headers as Headers;
      const verifying = route.scheme.verify(headers, body);
      const doubt = verifying instanceof Promise ? await verifying : verifying;
      if (doubt !== undefined) return refuse(doubt);
      // Only now: whoever is not verified must not use up what the sender may send.
      await this.#rate.consume(route.path);
      const payload = parseBody(body, this.#parts.limits.depth);
      const numbering = route.scheme.numberOf(headers, body, payload);
      return await this.#parts.desk.take(route, { headers: keptOf(incoming.headers, route), body, payload, numbering });
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      if (error instanceof RateLimiterRes) return refuse('RATE', Math.max(1, Math.ceil(error.msBeforeNext / 1000)));
      process.emitWarning(`a request on ${route.path} could not be answered: ${String(error)}`, 'PatchbayWarning');
      return refuse('INTERNAL');
    }
  }

  /** Throws what is to be answered to a request that need not be read. */
  #admit(route: Route, incoming: IncomingMessage): void {
    const { limits, isPaused } = this.#parts;
    if (this.#stopping) throw new Refused('STOPPING');
    if (isPaused(route.path)) throw new Refused('PAUSED');
    if (incoming.rawHeaders.length > 2 * limits.headers) throw new Refused('HEADERS');
    checkMediaType(incoming.headers);
  }
}

/** What the handler sees is what is kept: it sees the same when it is called again. */
function keptOf(headers: IncomingHttpHeaders, { scheme }: Route): Headers {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hidden.has(name) || scheme.hides.includes(name)) continue;
    kept[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return kept;
}
