import type { Dispatcher } from 'undici';
import type { Outcome } from './outcome.ts';

/** How one attempt ended. */
export type Ending = Partial<Outcome> & Pick<Outcome, 'status'>;

/** The most that is read of an answer. */
const limit = 64 * 1024;
const statuses = { ok: 'ok', warn: 'warn', fail: 'failed' } as const;

/** A failure with its message. */
export function failed(message: string, more: Partial<Outcome> = {}): Ending {
  return { status: 'failed', verdict: 'fail', message, ...more };
}

/** Where an answer sends the call on to; a text if it must not go there; undefined if the answer is no redirect. */
export function redirectOf(status: number, location: unknown, from: URL): URL | string | undefined {
  if (status < 300 || status > 399 || typeof location !== 'string') return undefined;
  const to = URL.parse(location, from.href);
  if (to === null) return 'redirects to something that is no address';
  if (to.origin !== from.origin) {
    return `redirects to ${to.protocol}//${to.host}, but redirects to another host are not followed`;
  }
  if (status !== 307 && status !== 308) return `answered ${status}, but only redirects 307 and 308 are followed`;
  return to;
}

/**
 * Reads an answer to its end and tells what it means. Of one that is too long the connection is dropped. Rejects if the
 * connection fails before the end.
 */
export async function endingOf(who: string, { statusCode, headers, body }: Dispatcher.ResponseData): Promise<Ending> {
  const http_status = statusCode;
  const read = await textOf(body);
  if (read === undefined) return failed(`${who} sent more than ${limit} bytes`, { http_status });
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    return failed(`${who} answered ${statusCode}, in an encoding that was not asked for`, { http_status });
  }
  const { verdict, message, output } = saidIn(read);
  if (statusCode > 299) {
    return failed(`${who} answered ${statusCode}${message === null ? '' : `: ${message}`}`, { http_status, output });
  }
  if (verdict === undefined) return { status: 'ok', message, http_status, output };
  if (verdict === 'ok' || verdict === 'warn' || verdict === 'fail') {
    return { status: statuses[verdict], verdict, message, http_status, output };
  }
  const strange = `answered verdict ${JSON.stringify(verdict)}, which is none of ok, warn and fail`;
  return failed(`${who} ${strange}${message === null ? '' : `: ${message}`}`, { http_status, output });
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** What a text says that may be JSON. */
function saidIn(text: string): { verdict?: unknown; message: string | null; output: string } {
  try {
    const answer = JSON.parse(text);
    const { verdict, message } = answer ?? {};
    // Written anew, a value has but one spelling, so that a secret in it is found.
    return { verdict, message: typeof message === 'string' ? message : null, output: JSON.stringify(answer) };
  } catch {
    return { message: null, output: text };
  }
}
