/** How much the API takes from whom. */
export interface Limits {
  /** Bytes of a body. */
  readonly bodyBytes: number;
  /** How deep JSON may be nested. */
  readonly depth: number;
  /** Requests in ten seconds with the token. */
  readonly known: number;
  /** Requests in ten seconds without it, from one address. */
  readonly unknown: number;
  /** Streams of events that are open at once. */
  readonly streams: number;
  /** A stream says so often that it is still there. */
  readonly beatMs: number;
  /** A stream whose reader takes nothing for so long is dropped. */
  readonly stallMs: number;
  readonly connections: number;
  /** How long the head of a request may take to come. */
  readonly headersMs: number;
  /** How long all of a request may take to come. */
  readonly requestMs: number;
  /** How long requests under way have when the host stops. */
  readonly graceMs: number;
}

/** What holds where nothing else is said. */
export const usualLimits: Limits = {
  bodyBytes: 256 * 1024,
  depth: 32,
  known: 1000,
  unknown: 100,
  streams: 64,
  beatMs: 15_000,
  stallMs: 30_000,
  connections: 2048,
  headersMs: 10_000,
  requestMs: 30_000,
  graceMs: 5_000,
};
