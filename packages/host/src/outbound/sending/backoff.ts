const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** How long after each attempt the next one is made, at most. */
const delays = [5 * second, 30 * second, 2 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour];
/** How long a receiver may ask to be left alone. */
const longestWish = 24 * hour;
/** A request is given up when so much time has passed since it was asked for. */
const oldest = 72 * hour;

/** How often a request is sent before it is given up. */
export const mostAttempts = delays.length + 1;

/** What is known when an attempt has failed. */
export interface Attempted {
  /** How many there were. */
  readonly attempts: number;
  /** When it was asked for, in milliseconds. */
  readonly askedAt: number;
  /** The header Retry-After of the answer, if it has one. */
  readonly retryAfter: string | undefined;
  readonly now: number;
  /** From 0 to 1. */
  readonly chance: number;
}

/**
 * When a request that did not arrive is sent again, in milliseconds; undefined if it is given up. At a random moment between
 * the step before and this one, so that those that failed together do not come back together; not before the receiver wants.
 */
export function nextAttempt({ attempts, askedAt, retryAfter, now, chance }: Attempted): number | undefined {
  const most = delays[attempts - 1];
  if (most === undefined) return undefined;
  const least = delays[attempts - 2] ?? second;
  const at = Math.max(now + least + chance * (most - least), wishIn(retryAfter, now));
  return at - askedAt > oldest ? undefined : at;
}

/** When the receiver wants to be asked again, in seconds or as a date; the past if it says nothing that can be understood. */
function wishIn(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  const text = retryAfter.trim();
  const wish = /^\d+$/.test(text) ? now + Number(text) * second : Date.parse(text);
  return Number.isNaN(wish) ? 0 : Math.min(wish, now + longestWish);
}
