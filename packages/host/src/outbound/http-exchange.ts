import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { Dispatcher } from 'undici';
import { redirectOf } from './http-answer.ts';
import type { Caller, HttpClient } from './http-client.ts';

/** What is sent. */
export interface Prepared {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** How it is sent. */
export interface Exchange {
  readonly client: HttpClient;
  readonly plugin: Caller;
  readonly timeoutMs: number;
  /** Ends it at any point. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer, or why there is none. */
export type Exchanged<T> =
  | { readonly answer: T }
  | {
      /** `refused`: the plugin may not call that address. `redirect`: it was sent on to where it must not go. */
      readonly why: 'stopped' | 'timeout' | 'refused' | 'redirect' | 'network';
      readonly message: string;
      readonly http_status: number | null;
    };

const redirects = 3;

/**
 * Sends once and reads the answer with `read`, which gets the origin that gave it. Its deadline or the signal ends it,
 * whatever the other side does. Redirects are followed within the origin. Whatever goes wrong is told: never rejects.
 */
export async function exchange<T>(
  how: Exchange,
  prepared: Prepared,
  read: (who: string, answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<Exchanged<T>> {
  const who = prepared.url.origin;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), how.timeoutMs);
  const stop = () => abort.abort();
  how.signal?.addEventListener('abort', stop);
  const without = (why: 'stopped' | 'timeout' | 'refused' | 'network', message: string) => ({
    why,
    message,
    http_status: null,
  });
  try {
    return await heeding(follow(how, prepared, abort.signal, read), abort.signal);
  } catch (error) {
    if (how.signal?.aborted) return without('stopped', `the call of ${who} was stopped`);
    if (abort.signal.aborted) return without('timeout', `${who} did not answer within ${how.timeoutMs} ms`);
    if (error instanceof PatchbayError) return without('refused', error.message);
    return without('network', `calling ${who} failed: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
    how.signal?.removeEventListener('abort', stop);
  }
}

async function follow<T>(
  { client, plugin }: Exchange,
  prepared: Prepared,
  signal: AbortSignal,
  read: (who: string, answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<Exchanged<T>> {
  let { url } = prepared;
  for (let hops = 0; ; hops += 1) {
    const head = await client.post(plugin, url, { ...prepared, signal });
    const answer = await read(url.origin, head);
    const to = redirectOf(head.statusCode, head.headers['location'], url);
    if (to === undefined) return { answer };
    const failed = (what: string) =>
      ({ why: 'redirect', message: `${url.origin} ${what}`, http_status: head.statusCode }) as const;
    if (typeof to === 'string') return failed(to);
    if (hops === redirects) return failed(`redirects more than ${redirects} times`);
    url = to;
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  const message = messageOf(error);
  return typeof code === 'string' && !message.includes(code) ? `${message} (${code})` : message;
}

/** What stands before the host of an address, as a header, and the spellings of it that must not be shown. */
export function credentialsOf({ username, password }: URL): { secrets: string[]; authorization: string | undefined } {
  if (username === '' && password === '') return { secrets: [], authorization: undefined };
  const [user = '', word = ''] = [username, password].map(unescaped);
  const token = Buffer.from(`${user}:${word}`).toString('base64');
  return { secrets: [username, password, user, word, token], authorization: `Basic ${token}` };
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Comes to what `work` comes to, but rejects as soon as the signal says so: not all that waits notices it in time. */
export async function heeding<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop);
  work.catch(() => {}); // It may fail when nobody waits any more.
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
