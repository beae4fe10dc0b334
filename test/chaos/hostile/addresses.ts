import type { Socket } from 'node:net';
import { expect } from 'vitest';
import {
  type Answering,
  answer,
  type Handler,
  handler,
  rawHandler,
} from '../../../packages/host/test/outbound/http-fixture.ts';
import { httpPackage, type Package } from '../package.ts';
import type { Hostile } from '../row.ts';

/** A package whose address is served so. */
async function served(name: string, answering: Answering, headers?: Record<string, string>): Promise<Package> {
  const { url } = await handler(answering);
  return httpPackage(name, url, headers === undefined ? {} : { headers });
}

/** A package whose address is served so, byte by byte. */
async function servedRaw(name: string, onSocket: (socket: Socket) => void): Promise<Package> {
  const { url } = await rawHandler((socket) => onSocket(socket.on('error', () => {})));
  return httpPackage(name, url);
}

function repeatedly(socket: Socket, what: () => void): void {
  const timer = setInterval(what, 20);
  socket.on('close', () => clearInterval(timer));
}

/** Servers that nobody was allowed to call. */
const forbidden: Handler[] = [];

/** Hostile servers behind HTTP handlers. */
export const addresses: Hostile[] = [
  {
    does: 'never answers its call',
    make: (name) => served(name, () => {}),
    accepted: 'failed',
    says: /did not answer within 300 ms/,
  },
  {
    does: 'answers a byte at a time',
    make: (name) =>
      servedRaw(name, (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
        repeatedly(socket, () => socket.write('x'));
      }),
    accepted: 'failed',
    says: /did not answer within 300 ms/,
  },
  {
    does: 'answers without end',
    make: (name) =>
      served(name, (response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, ' ')));
        };
        response.writeHead(200).on('drain', more);
        more();
      }),
    accepted: 'failed',
    says: /sent more than 65536 bytes/,
  },
  {
    does: 'answers what is no HTTP',
    make: (name) => servedRaw(name, (socket) => socket.end('\u0000\u0001 garbage \r\n\r\n')),
    accepted: 'failed',
    says: /calling http:\/\/127\.0\.0\.1:\d+ failed/,
  },
  {
    does: 'hangs up',
    make: (name) => servedRaw(name, (socket) => socket.destroy()),
    accepted: 'failed',
    says: /calling http:\/\/127\.0\.0\.1:\d+ failed/,
  },
  {
    does: 'answers when its time is over',
    make: (name) =>
      served(name, (response) => {
        setTimeout(() => response.end('{"verdict":"ok","message":"late"}'), 600).unref();
      }),
    accepted: 'failed',
    says: /did not answer within 300 ms/,
  },
  {
    does: 'answers half of a verdict and hangs up',
    make: (name) =>
      servedRaw(name, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"verdict":"o')),
    accepted: 'failed',
    says: /calling http:\/\/127\.0\.0\.1:\d+ failed/,
  },
  {
    does: 'sends the host to where a cloud keeps its keys',
    make: (name) => served(name, answer(307, '', { location: 'http://169.254.169.254/latest/meta-data/' })),
    accepted: 'failed',
    says: /redirects to http:\/\/169\.254\.169\.254, but redirects to another host are not followed/,
  },
  {
    does: 'sends the host to a service of this machine that it was not granted',
    make: async (name) => {
      const inner = await handler(answer(200, { verdict: 'ok', message: 'the inner sanctum' }));
      forbidden.push(inner);
      return served(name, answer(308, '', { location: inner.url }));
    },
    accepted: 'failed',
    says: /redirects to another host are not followed/,
    check: () => {
      for (const { connections } of forbidden) expect(connections).toBe(0);
    },
  },
  {
    does: 'says back the secret it was sent',
    make: (name) =>
      served(
        name,
        (response, _, { headers }) => {
          const said = `you are ${headers.authorization}, ${headers.authorization?.toUpperCase()}`;
          response.end(JSON.stringify({ verdict: 'fail', message: said, [said]: said }));
        },
        { Authorization: 'Bearer ${HOSTILE_SECRET}' },
      ),
    accepted: 'failed',
    says: /you are Bearer \*\*\*/,
  },
  {
    does: 'answers block, which is not for it to say',
    make: (name) => served(name, answer(200, { verdict: 'block', message: 'I forbid it' })),
    accepted: 'failed',
    says: /answered verdict "block"/,
  },
];
