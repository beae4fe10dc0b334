import { type InboundRequest, messageOf, PatchbayError } from 'patchbay-sdk';
import type { Settlement } from '../ledger/index.ts';
import { type Reply, refuse } from './reply.ts';
import type { Route } from './routes.ts';

/** What handling a request came to. */
export interface Handled {
  readonly reply: Reply;
  readonly settlement: Settlement;
  /** The process of the plugin has ended, and with it the function that was called. */
  readonly gone: boolean;
}

/** A reply is kept up to this length, to be given again. */
const mostReply = 16 * 1024;
const mostMessage = 4096;

/**
 * Calls the handler of a route. Gives what came of it at once if the handler answers at once; otherwise when it has, or has
 * failed because it did not within `giveUpMs`. Neither throws nor rejects.
 */
export function handle(route: Route, request: InboundRequest, giveUpMs: number): Handled | Promise<Handled> {
  const start = performance.now();
  const tookMs = () => Math.round((performance.now() - start) * 1000) / 1000;
  try {
    const answer = route.handle(request);
    return isLater(answer) ? awaited(route, answer, giveUpMs, tookMs) : answered(answer, tookMs());
  } catch (error) {
    return failed(route, error, tookMs());
  }
}

function isLater(answer: unknown): answer is PromiseLike<unknown> {
  return typeof (answer as { then?: unknown } | undefined)?.then === 'function';
}

async function awaited(
  route: Route,
  answer: PromiseLike<unknown>,
  giveUpMs: number,
  tookMs: () => number,
): Promise<Handled> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${giveUpMs / 1000} s`)), giveUpMs).unref();
  });
  try {
    return answered(await Promise.race([answer, tooLong]), tookMs());
  } catch (error) {
    return failed(route, error, tookMs());
  } finally {
    clearTimeout(timer);
  }
}

function answered(given: unknown, duration_ms: number): Handled {
  const reply = replyOf(given);
  const { status, body } = reply;
  // A sender will try again after this, and must find that it is worth it.
  if (status >= 500) return { reply, settlement: failure(`answered ${status}`, status, duration_ms), gone: false };
  // What most say need not be kept.
  const annotations =
    status === 200 && body === '{}' ? null : { reply: body.length > mostReply ? { status } : { status, body } };
  return {
    reply,
    settlement: { status: 'ok', attempts: 1, http_status: status, annotations, duration_ms },
    gone: false,
  };
}

function failed({ plugin }: Route, error: unknown, duration_ms: number): Handled {
  const settlement = failure(messageOf(error).slice(0, mostMessage), 500, duration_ms);
  const gone = error instanceof PatchbayError && error.code === 'HANDLER_FAILED' && error.plugin === plugin;
  return { reply: refuse('HANDLER'), settlement, gone };
}

function failure(message: string, http_status: number, duration_ms: number): Settlement {
  return { status: 'failed', attempts: 1, http_status, message, duration_ms };
}

function replyOf(given: unknown): Reply {
  if (given === undefined || given === null) return { status: 200, body: '{}' };
  const { status = 200, body = {} } = given as { status?: unknown; body?: unknown };
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
  if (typeof given !== 'object' || !isStatus)
    throw new Error('answered what is no reply: a status of 200 to 599 and a body');
  const text = JSON.stringify(body);
  if (text === undefined) throw new Error('answered a body that is not JSON');
  return { status, body: text };
}

/** The reply that was kept of a delivery that has been handled. */
export function keptReply(annotations: Readonly<Record<string, unknown>> | null): Reply {
  const { status = 200, body = '{}' } = (annotations?.['reply'] ?? {}) as { status?: number; body?: string };
  return { status, body, headers: { 'idempotent-replayed': 'true' } };
}
