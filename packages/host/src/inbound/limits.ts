/** How much a webhook server takes on. */
export interface InboundLimits {
  /** The longest body. */
  readonly bodyBytes: number;
  /** All bodies together that are being received. */
  readonly bufferedBytes: number;
  /** All headers of a request together. */
  readonly headerBytes: number;
  /** How many headers a request has. */
  readonly headers: number;
  /** How deep JSON may be nested. */
  readonly depth: number;
  /** How long a client may take to send its headers. */
  readonly headersMs: number;
  /** How long it may take to send the whole request. */
  readonly requestMs: number;
  /** How long a connection is kept for the next request. */
  readonly idleMs: number;
  /** How many connections there may be. */
  readonly connections: number;
  /** Verified requests on one route, in a second. */
  readonly perSecond: number;
  /** Handlers of one route that may be at work at once. */
  readonly atOnce: number;
  /** How long a sender waits for a handler; then it is told that its request is stored. */
  readonly handlerMs: number;
  /** When a handler that does not end counts as failed. */
  readonly giveUpMs: number;
  /** For how long other hosts leave alone what this one handles, without hearing that it still does. */
  readonly leaseMs: number;
  /** How long requests under way are waited for when the server is closed. */
  readonly drainMs: number;
}

/** What is not said otherwise. */
export const defaultLimits: InboundLimits = {
  bodyBytes: 1024 * 1024,
  bufferedBytes: 64 * 1024 * 1024,
  headerBytes: 16 * 1024,
  headers: 100,
  depth: 100,
  headersMs: 10_000,
  requestMs: 20_000,
  idleMs: 15_000,
  connections: 2048,
  perSecond: 1000,
  atOnce: 64,
  handlerMs: 10_000,
  giveUpMs: 600_000,
  leaseMs: 60_000,
  drainMs: 11_000,
};
