/** The headers of a request, names lower-cased. */
export type Headers = Readonly<Record<string, string>>;

/** Why a sender was not verified. */
export type Doubt = 'UNVERIFIED' | 'STALE';

/** How a sender numbers what it sends. */
export interface Numbering {
  /** Its own number. */
  readonly id: string | null;
  /** What two requests have in common that are the same delivery; null if that cannot be known. */
  readonly key: string | null;
}

/** A way to prove who sent a request. */
export interface Scheme {
  /** The headers that prove it: they are not kept. */
  readonly hides: readonly string[];
  /** Nothing if the proof holds. Compares in constant time; never throws. */
  verify(headers: Headers, body: string): Doubt | undefined | Promise<Doubt | undefined>;
  /** Asked only when verified. */
  numberOf(headers: Headers, body: string, payload: unknown): Numbering;
}

/** Requests that say when they were sent are taken for so long, in seconds, before and after. */
export const windowS = 300;

/** Whether a time in seconds, as a header says it, is within the window. */
export function isTimely(header: string | undefined): boolean {
  if (header === undefined || !/^\d{1,12}$/.test(header)) return false;
  return Math.abs(Date.now() / 1000 - Number(header)) <= windowS;
}

/** Numbered by a header. */
export function numbered(id: string | undefined): Numbering {
  return { id: id ?? null, key: id ?? null };
}
