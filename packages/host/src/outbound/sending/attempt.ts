import type { Dispatcher } from 'undici';
import { endingOf } from '../http-answer.ts';
import { type Exchange, exchange, type Prepared } from '../http-exchange.ts';

/** What came of sending a request once. */
export interface Receipt {
  /**
   * `again`: it may arrive later. `never`: it will not, as it is. `gone`: nothing will, there. `forbidden`: the plugin may not
   * send there. `stopped`: the host goes.
   */
  readonly means: 'arrived' | 'again' | 'never' | 'gone' | 'forbidden' | 'stopped';
  /** For people; may hold what the receiver said. */
  readonly message: string | null;
  readonly http_status: number | null;
  readonly retryAfter: string | undefined;
}

/** What may be otherwise when it is sent again: too slow, being handled, too early, too many. */
const passing = new Set([408, 409, 425, 429]);
/** How long is waited for the rest of an answer that says that it arrived: for the sake of the connection only. */
const restMs = 1000;
const mostRest = 64 * 1024;

const withoutAnswer = {
  stopped: 'stopped',
  refused: 'forbidden',
  redirect: 'never',
  timeout: 'again',
  network: 'again',
} as const;

/** Sends a request once. Whatever goes wrong is told: never rejects. */
export async function attempt(how: Exchange, prepared: Prepared): Promise<Receipt> {
  const exchanged = await exchange(how, prepared, receiptOf);
  if ('answer' in exchanged) return exchanged.answer;
  const { why, message, http_status } = exchanged;
  return { means: withoutAnswer[why], message, http_status, retryAfter: undefined };
}

async function receiptOf(who: string, answer: Dispatcher.ResponseData): Promise<Receipt> {
  const http_status = answer.statusCode;
  const means = meaningOf(http_status);
  if (means === 'arrived') {
    await discard(answer.body);
    return { means, message: null, http_status, retryAfter: undefined };
  }
  const header = answer.headers['retry-after'];
  const retryAfter = typeof header === 'string' ? header : undefined;
  const ending = await endingOf(who, answer).catch(() => undefined);
  return { means, message: ending?.message ?? `${who} answered ${http_status}`, http_status, retryAfter };
}

function meaningOf(status: number): Receipt['means'] {
  if (status >= 200 && status <= 299) return 'arrived';
  if (status === 410) return 'gone';
  return status >= 500 || passing.has(status) ? 'again' : 'never';
}

async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  try {
    await body.dump({ limit: mostRest, signal: AbortSignal.timeout(restMs) });
  } catch {
    body.destroy();
  }
}
