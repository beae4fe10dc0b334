import { setTimeout as sleep } from 'node:timers/promises';
import type { EventName, EventPayload } from 'patchbay-sdk';
import type { ManifestHandler } from '../install/manifest/manifest-type.ts';
import { type Ending, endingOf, failed } from './http-answer.ts';
import type { Caller, HttpClient } from './http-client.ts';
import { credentialsOf, exchange, heeding, type Prepared } from './http-exchange.ts';
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

const retryAfterMs = 2_000;

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

function withDefaults(given: ReadonlyMap<string, string>, authorization: string | undefined, key: string) {
  return new Map([
    ['content-type', 'application/json'],
    ['user-agent', 'patchbay'],
    ['idempotency-key', key],
    ...(authorization === undefined ? [] : [['authorization', authorization] as const]),
    ...given,
  ]);
}

async function tries(handler: HttpHandler, call: HttpCall, prepared: Prepared): Promise<Ending & { attempts: number }> {
  const { signal, wait = (ms, during) => sleep(ms, undefined, { signal: during }) } = call;
  if (signal?.aborted) return { ...failed(`the call of ${prepared.url.origin} was stopped`), attempts: 0 };
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

async function attempt({ timeoutMs }: HttpHandler, call: HttpCall, prepared: Prepared): Promise<Ending> {
  const exchanged = await exchange({ ...call, timeoutMs }, prepared, endingOf);
  if ('answer' in exchanged) return exchanged.answer;
  const { why, message, http_status } = exchanged;
  return failed(message, { http_status, timed_out: why === 'timeout' });
}
