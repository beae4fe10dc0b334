import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { echo, refusalOf, serving } from './fixture.ts';

const head = (...lines: string[]) => `${['POST /echo HTTP/1.1', 'host: x', ...lines].join('\r\n')}\r\n\r\n`;
const json = 'content-type: application/json';
const good = `${head(json, 'content-length: 2')}{}`;

/** What each of these is answered, on a connection that is then closed. */
const malformed: Record<string, [sent: string, status: number, code: string]> = {
  'a negative length': [`${head(json, 'content-length: -5')}{}`, 400, 'MALFORMED'],
  'a length that is no number': [`${head(json, 'content-length: 2x')}{}`, 400, 'MALFORMED'],
  'two lengths': [`${head(json, 'content-length: 2', 'content-length: 3')}{}`, 400, 'MALFORMED'],
  'a length beyond all numbers': [`${head(json, `content-length: ${'9'.repeat(30)}`)}{}`, 400, 'MALFORMED'],
  'a length and chunks': [
    `${head(json, 'content-length: 2', 'transfer-encoding: chunked')}0\r\n\r\n`,
    400,
    'MALFORMED',
  ],
  'a chunk with no length': [`${head(json, 'transfer-encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`, 400, 'MALFORMED'],
  'a negative chunk': [`${head(json, 'transfer-encoding: chunked')}-1\r\n{}\r\n0\r\n\r\n`, 400, 'MALFORMED'],
  'no HTTP at all': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello?\r\n\r\n', 400, 'MALFORMED'],
  'a version that is none': ['POST /echo HTTP/9.9\r\n\r\n', 400, 'MALFORMED'],
  'a header without a name': [head(': x'), 400, 'MALFORMED'],
  'a NUL in a header': [head('x-a: a\0b'), 400, 'MALFORMED'],
  'a folded header': [head('x-a: a\r\n b', 'content-length: -1'), 400, 'MALFORMED'],
  'headers beyond all bounds': [head(`x-a: ${'a'.repeat(40_000)}`), 431, 'HEADERS'],
};

describe('clients that do not keep to HTTP', () => {
  it.each(Object.entries(malformed))('%s is answered, and the server goes on', async (_, [sent, status, code]) => {
    const at = await serving({ hook: echo() });
    expect(refusalOf(await at.raw(sent))).toEqual([status, code]);
    expect((await at.post('/echo')).status).toBe(200);
    expect(await at.received()).toHaveLength(1);
  });

  it('more headers than may be are refused, not left out', async () => {
    const at = await serving({ hook: echo() }, { limits: { headers: 20 } });
    const many = Array.from({ length: 500 }, (_, i) => `x-${i}: ${i}`);
    const answer = await at.raw(head('connection: close', json, ...many, 'content-length: 0'));
    expect(refusalOf(answer)).toEqual([431, 'HEADERS']);
    expect(await at.received()).toEqual([]);
  });

  it.each(['/../echo', '/%2e%2e/echo', '//echo', '/echo%00', '/ECHO', 'http://[::bad/echo', '*'])(
    'the address %s leads nowhere',
    async (address) => {
      const at = await serving({ hook: echo() });
      const sent = `POST ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${json}\r\ncontent-length: 2\r\n\r\n{}`;
      const [status] = refusalOf(await at.raw(sent));
      expect([400, 404]).toContain(status);
      expect(await at.received()).toEqual([]);
    },
  );

  it('a request without a host is refused', async () => {
    const at = await serving({ hook: echo() });
    const answer = await at.raw(`POST /echo HTTP/1.1\r\nconnection: close\r\n${json}\r\ncontent-length: 2\r\n\r\n{}`);
    expect(refusalOf(answer)).toEqual([400, 'MALFORMED']);
  });
});

describe('bodies that are longer than may be', () => {
  const limits = { bodyBytes: 1000 };

  it('are refused by what their header says, before they are sent', async () => {
    const at = await serving({ hook: echo() }, { limits });
    const socket = await connected(at.port);
    socket.write(head(json, 'content-length: 2147483648'));
    expect(refusalOf(await firstAnswer(socket))).toEqual([413, 'BODY_LONG']);
  });

  it('are refused to who asks whether to send at all', async () => {
    const at = await serving({ hook: echo() }, { limits });
    const socket = await connected(at.port);
    socket.write(head(json, 'content-length: 5000', 'expect: 100-continue'));
    expect(refusalOf(await firstAnswer(socket))).toEqual([413, 'BODY_LONG']);
    const other = await connected(at.port);
    other.write(head(json, 'content-length: 2', 'expect: 100-continue', 'connection: close'));
    expect(await firstAnswer(other)).toContain('100 Continue');
    other.write('{}');
    expect(await firstAnswer(other)).toContain('HTTP/1.1 200 OK');
  });

  it('are refused when too much has come in chunks', async () => {
    const at = await serving({ hook: echo() }, { limits });
    const socket = await connected(at.port);
    socket.write(head(json, 'transfer-encoding: chunked'));
    for (let i = 0; i < 3; i++) socket.write(`1f4\r\n${' '.repeat(500)}\r\n`);
    expect(refusalOf(await firstAnswer(socket))).toEqual([413, 'BODY_LONG']);
    await once(socket, 'close');
    expect((await at.post('/echo')).status).toBe(200);
  });

  it('are refused when all that come at once are too long together', async () => {
    const at = await serving({ hook: echo() }, { limits: { bodyBytes: 100_000, bufferedBytes: 150_000 } });
    const sockets = await Promise.all([1, 2].map(() => connected(at.port)));
    const answers = sockets.map(firstAnswer);
    for (const socket of sockets) socket.write(head(json, 'content-length: 90001') + ' '.repeat(90_000));
    expect(refusalOf(await Promise.any(answers))).toEqual([503, 'BUSY']);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await at.post('/echo', `"${' '.repeat(90_000)}"`)).status).toBe(200);
  });
});

describe('clients that are slow, or gone', () => {
  const limits = { headersMs: 300, requestMs: 600, idleMs: 300 };

  it('one that does not end its headers is answered 408 and closed', async () => {
    const at = await serving({ hook: echo() }, { limits });
    expect(refusalOf(await at.raw('POST /echo HTTP/1.1\r\nhost: x\r\nx-slow:'))).toEqual([408, 'SLOW']);
  });

  it('one that says nothing at all is closed', async () => {
    const at = await serving({ hook: echo() }, { limits });
    expect(await at.raw('')).toMatch(/^$|408/);
  });

  it('one that sends its body drop by drop is answered 408', async () => {
    const at = await serving({ hook: echo() }, { limits });
    const socket = await connected(at.port);
    socket.write(head(json, 'content-length: 1000'));
    const drops = setInterval(() => socket.write(' '), 50);
    onTestFinished(() => clearInterval(drops));
    expect(refusalOf(await firstAnswer(socket))).toEqual([408, 'SLOW']);
  });

  it('one that promises more than it sends and goes has sent nothing', async () => {
    const at = await serving({ hook: echo() });
    await at.raw(`${head(json, 'content-length: 1000')}{}`, { end: true });
    expect((await at.post('/echo')).status).toBe(200);
    expect(await at.received()).toHaveLength(1);
  });

  it('one that sends more than it promised has the rest looked at as its next request', async () => {
    const at = await serving({ hook: echo() });
    const answer = await at.raw(`${good}{"more":1}`);
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400)/);
    expect((await at.received()).map(({ payload }) => (payload as { body?: string }).body)).not.toContain('{"more":1}');
    expect((await at.post('/echo')).status).toBe(200);
  });

  it('one that asks for much at once on one connection gets it, in order', async () => {
    const at = await serving({ hook: echo() });
    const answer = await at.raw(`${good.repeat(50) + head('connection: close', json, 'content-length: 1')}{`);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(50);
    expect(answer.match(/HTTP\/1\.1 400/g)).toHaveLength(1);
  });

  it('connections beyond what there may be are closed, those there are stay', async () => {
    const at = await serving({ hook: echo() }, { limits: { connections: 5 } });
    const sockets = await Promise.all(Array.from({ length: 5 }, () => connected(at.port)));
    const sixth = connect(at.port, '127.0.0.1').on('error', () => {});
    await once(sixth, 'close');
    sockets[0]?.write(good);
    expect(await firstAnswer(sockets[0] as Socket)).toContain('200 OK');
  });
});

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** What comes first over a connection: an answer of these is always whole. */
async function firstAnswer(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString('latin1');
}
