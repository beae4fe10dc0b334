import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { answer, call, disconnected, handler, newClient, rawHandler } from './http-fixture.ts';

/** Does something again and again, as long as the connection is there. */
function repeatedly(socket: Socket, what: () => void): void {
  const timer = setInterval(what, 10);
  socket.on('close', () => clearInterval(timer));
}

const head = 'HTTP/1.1 200 OK\r\n';

describe('a server that', () => {
  it('sends the head of its answer a byte at a time is given up at the deadline', async () => {
    const started = await rawHandler((socket) => {
      socket.write(`${head}X-Slow: `);
      repeatedly(socket, () => socket.write('x'));
    });
    expect(await call(started.url, { timeoutMs: 300 })).toMatchObject({ status: 'failed', timed_out: true });
    await disconnected(started);
  });

  it('sends its body a byte at a time is given up at the deadline', async () => {
    const started = await rawHandler((socket) => {
      socket.write(`${head}Content-Length: 60000\r\n\r\n`);
      repeatedly(socket, () => socket.write(' '));
    });
    expect(await call(started.url, { timeoutMs: 300 })).toMatchObject({ status: 'failed', timed_out: true });
    await disconnected(started);
  });

  it.each([200, 404])('sends an endless body with %i is cut off', async (status) => {
    const dropped = Promise.withResolvers<void>();
    const { url } = await handler((response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * 1024, ' ')));
      };
      response.writeHead(status).on('drain', more).on('close', dropped.resolve);
      more();
    });
    expect(await call(url)).toMatchObject({
      status: 'failed',
      verdict: 'fail',
      http_status: status,
      timed_out: false,
      message: `${new URL(url).origin} sent more than 65536 bytes`,
    });
    await dropped.promise;
  });

  it('sends an endless body with 500 is tried once more', async () => {
    const { url } = await handler(answer(500, 'x'.repeat(100_000)));
    expect(await call(url)).toMatchObject({ status: 'failed', http_status: 500, attempts: 2 });
  });

  it('sends just as much as is allowed is read', async () => {
    const body = JSON.stringify({ verdict: 'warn', message: 'padded' }).padEnd(64 * 1024);
    const { url } = await handler(answer(200, body));
    expect(await call(url)).toMatchObject({ status: 'warn', message: 'padded' });
  });

  it('sends a huge header is cut off', async () => {
    const dropped = Promise.withResolvers<void>();
    const { url } = await rawHandler((socket) => {
      socket.on('close', () => dropped.resolve());
      socket.write(`${head}X-Huge: ${'x'.repeat(100_000)}\r\n\r\n`);
    });
    expect(await call(url)).toMatchObject({ status: 'failed', verdict: 'fail', timed_out: false, attempts: 1 });
    await dropped.promise;
  });

  it('sends headers without end is cut off', async () => {
    const { url } = await rawHandler((socket) => {
      socket.write(head);
      repeatedly(socket, () => socket.write(`X-More: ${'x'.repeat(1000)}\r\n`));
    });
    expect(await call(url)).toMatchObject({ status: 'failed', timed_out: false });
  });

  it('answers with informational heads for ever is given up at the deadline', async () => {
    const { url } = await rawHandler((socket) => {
      repeatedly(socket, () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
    });
    expect(await call(url, { timeoutMs: 300 })).toMatchObject({ status: 'failed' });
  });

  it.each([
    ['inside the head', `${head}Content-Le`],
    ['inside a body of known length', `${head}Content-Length: 100\r\n\r\n{"verdict": "ok"`],
    ['inside a body in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n10\r\n{"verdict": "ok"`],
  ])('closes %s has failed', async (_, sent) => {
    const { url } = await rawHandler((socket) => socket.once('data', () => socket.end(sent)));
    expect(await call(url)).toMatchObject({ status: 'failed', verdict: 'fail', timed_out: false, attempts: 1 });
  });

  it.each([
    ['garbage', '\u0000\u0001\u0002 SSH-2.0-OpenSSH_9.9\r\n'],
    ['nothing', ''],
    ['a wrong length', `${head}Content-Length: many\r\n\r\n`],
    ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
    ['a wrong chunk', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: Upgrade\r\n\r\n'],
    ['an impossible status', 'HTTP/1.1 99999 What\r\n\r\n'],
  ])('sends %s instead of an answer has failed', async (_, sent) => {
    const { url } = await rawHandler((socket) => socket.once('data', () => socket.end(sent)));
    expect(await call(url)).toMatchObject({ status: 'failed', verdict: 'fail', attempts: 1 });
  });

  it('sends two answers to one question does not get the second believed', async () => {
    const one = (message: string) => {
      const body = JSON.stringify({ verdict: 'ok', message });
      return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const started = await rawHandler((socket) => socket.on('data', () => socket.write(one('first') + one('second'))));
    const client = newClient();
    for (const _ of [1, 2, 3]) expect((await call(started.url, { client })).message).not.toBe('second');
  });

  it('answers before it has read the body is believed', async () => {
    const { url } = await rawHandler((socket) => {
      socket.once('data', () => {
        socket.pause();
        const body = JSON.stringify({ verdict: 'warn', message: 'did not read it' });
        socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const payload = sample('turn:accepted', { summary: 'x'.repeat(4 * 1024 * 1024) });
    expect(await call(url, { payload })).toMatchObject({ status: 'warn', message: 'did not read it' });
  });

  it('never reads the body is given up at the deadline', async () => {
    const { url } = await rawHandler((socket) => socket.pause());
    const payload = sample('turn:accepted', { summary: 'x'.repeat(8 * 1024 * 1024) });
    expect(await call(url, { payload, timeoutMs: 300 })).toMatchObject({ status: 'failed', timed_out: true });
  });

  it('compresses what nobody asked it to compress is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const { url } = await handler((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const outcome = await call(url);
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', http_status: 200, output: '' });
    expect(outcome.message).toContain('in an encoding that was not asked for');
  });
});
