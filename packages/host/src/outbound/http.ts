import { setTimeout as sleep } from 'node:timers/promises';
import { type EventName, type EventPayload, messageOf, PatchbayError } from 'patchbay-sdk';
import type { ManifestHandler } from '../install/manifest/manifest-type.ts';
import { type Ending, endingOf, failed, redirectOf } from './http-answer.ts';
import type { Caller, HttpClient } from './http-client.ts';
import { redactor } from './http-redact.ts';
import { interpolate } from './interpolate.ts';
import { type Outcome, outcome } from './outcome.ts';

export { HttpClient } from './http-client.ts';

/** What a call of an HTTP handler needs besides the handler. */
export interface HttpCall {
  readonly client: HttpClient;
  readonly plugin: Caller;
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly payload: EventPayload<EventName>;
  /** The same for every attempt to deliver the same thing. */
  readonly key: string;
  /** Ends the call at any point. */
  readonly signal?: AbortSignal;
  /** Waits before the retry. @default a timer */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

type HttpHandler = Extract<ManifestHandler, { type: 'http' }>;

interface Prepared {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const retryAfterMs = 2_000;
const redirects = 3;

/**
 * Calls an HTTP handler for an event: once, and after an answer 5xx once more. Whatever goes wrong is told by the
 * outcome: never rejects. Values of the environment and credentials of the address do not appear in it.
 */
export async function callHttp(handler: HttpHandler, call: HttpCall): Promise<Outcome> {
  const started = performance.now();
  const url = new URL(handler.url);
  const filled = interpolate(handler.headers, { env: call.env, grants: call.plugin.grants, payload: call.payload });
  const { secrets, authorization } = credentialsOf(url);
  const redact = redactor('problem' in filled ? secrets : [...secrets, ...filled.secrets]);
  const { attempts, ...ending } =
    'problem' in filled
      ? { ...failed(`${filled.problem}; nothing was sent`), attempts: 0 }
      : await tries(handler, call, {
          url,
          headers: withDefaults(filled.headers, authorization, call.key),
          body: JSON.stringify(call.payload),
        });
  return outcome({
    ...ending,
    attempts,
    message: ending.message == null ? null : redact(ending.message),
    output: redact(ending.output ?? ''),
    duration_ms: Math.round(performance.now() - started),
  });
}

/** What stands before the host of an address, as a header, and the spellings of it that must not be shown. */
function credentialsOf({ username, password }: URL): { secrets: string[]; authorization: string | undefined } {
  if (username === '' && password === '') return { secrets: [], authorization: undefined };
  const [user = '', word = ''] = [username, password].map(unescaped);
  const token = Buffer.from(`${user}:${word}`).toString('base64');
  return { secrets: [username, password, user, word, token], authorization: `Basic ${token}` };
}

function withDefaults(given: ReadonlyMap<string, string>, authorization: string | undefined, key: string) {
  return new Map([
    ['content-type', 'application/json'],
    ['user-agent', 'patchbay'],
    ['idempotency-key', key],
    ...(authorization === undefined ? [] : [['authorization', authorization] as const]),
    ...given,
  ]);
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function tries(handler: HttpHandler, call: HttpCall, prepared: Prepared): Promise<Ending & { attempts: number }> {
  const { signal, wait = (ms, during) => sleep(ms, undefined, { signal: during }) } = call;
  if (signal?.aborted) return { ...stopped(prepared.url), attempts: 0 };
  const first = await attempt(handler, call, prepared);
  if (first.timed_out || signal?.aborted || (first.http_status ?? 0) < 500) return { ...first, attempts: 1 };
  try {
    await heeding(wait(retryAfterMs, signal), signal);
    signal?.throwIfAborted();
  } catch {
    return { ...first, attempts: 1 };
  }
  return { ...(await attempt(handler, call, prepared)), attempts: 2 };
}

/** One attempt, which its deadline or the signal of the call ends, whatever the other side does. */
async function attempt({ timeoutMs }: HttpHandler, call: HttpCall, prepared: Prepared): Promise<Ending> {
  const who = prepared.url.origin;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  const stop = () => abort.abort();
  call.signal?.addEventListener('abort', stop);
  try {
    return await heeding(exchange(call, prepared, abort.signal), abort.signal);
  } catch (error) {
    if (call.signal?.aborted) return stopped(prepared.url);
    if (abort.signal.aborted) return failed(`${who} did not answer within ${timeoutMs} ms`, { timed_out: true });
    if (error instanceof PatchbayError) return failed(error.message);
    return failed(`calling ${who} failed: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', stop);
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  const message = messageOf(error);
  return typeof code === 'string' && !message.includes(code) ? `${message} (${code})` : message;
}

async function exchange({ client, plugin }: HttpCall, prepared: Prepared, signal: AbortSignal): Promise<Ending> {
  let { url } = prepared;
  for (let hops = 0; ; hops += 1) {
    const answer = await client.post(plugin, url, { ...prepared, signal });
    const ending = await endingOf(url.origin, answer);
    const to = redirectOf(answer.statusCode, answer.headers['location'], url);
    if (to === undefined) return ending;
    const http_status = answer.statusCode;
    if (typeof to === 'string') return failed(`${url.origin} ${to}`, { http_status });
    if (hops === redirects) return failed(`${url.origin} redirects more than ${redirects} times`, { http_status });
    url = to;
  }
}

function stopped(url: URL): Ending {
  return failed(`the call of ${url.origin} was stopped`);
}

/** Comes to what `work` comes to, but rejects as soon as the signal says so: not all that waits notices it in time. */
async function heeding<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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
