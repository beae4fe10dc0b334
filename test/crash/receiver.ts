import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One call of a handler: in which life of the host, under which key. */
export interface Call {
  readonly life: number;
  readonly key: string;
}

/** An address on this machine that writes down who called it. */
export interface Receiver {
  readonly url: string;
  readonly calls: readonly Call[];
  /** Calls whose key is not that of a delivery of the event in their body. */
  readonly wrong: readonly string[];
}

/** Starts a receiver until the test is over; `heard` is told of each call. */
export async function receiver(heard: () => void = () => {}): Promise<Receiver> {
  const calls: Call[] = [];
  const wrong: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    // One that is killed while it speaks has said nothing.
    for await (const text of request.setEncoding('utf8')) body += text;
    const key = String(request.headers['idempotency-key']);
    const { event_id } = JSON.parse(body) as { event_id: string };
    if (!key.startsWith(`${event_id}.`)) wrong.push(`${key} for ${event_id}`);
    calls.push({ life: Number(request.headers['x-life']), key });
    response.setHeader('content-type', 'application/json').end('{"verdict":"ok"}');
    heard();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls, wrong };
}
