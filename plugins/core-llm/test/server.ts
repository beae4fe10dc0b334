import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request as it came. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is answered; null: nothing, ever. */
export type Answer = { status?: number; headers?: Record<string, string>; body: unknown } | null;

/** A server on 127.0.0.1 in the place of a provider. */
export interface ModelServer {
  readonly url: string;
  /** The requests so far. */
  readonly asked: readonly Asked[];
  /** Settled when the first request has come. */
  readonly reached: Promise<void>;
}

/**
 * Starts a server that gives its answers one after the other, the last one again and again; gone when the test is over. `refuse`
 * says what the real one would have against a request.
 */
export async function startServer(
  answers: readonly Answer[],
  refuse: (asked: Asked) => string | undefined,
): Promise<ModelServer> {
  const asked: Asked[] = [];
  const reached = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Asked['body'];
    const one = { path: request.url ?? '', headers: request.headers, body };
    asked.push(one);
    reached.resolve();
    const answer = refusal(refuse(one)) ?? answers[Math.min(asked.length, answers.length) - 1];
    if (!answer) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, reached: reached.promise };
}

function refusal(message: string | undefined): Answer {
  return message === undefined ? null : { status: 400, body: { type: 'error', error: { type: 'invalid', message } } };
}
