import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Stage } from '../../../../test/flows/stage.ts';
import { confinements } from '../sandbox/fixture.ts';
import { Serving, textOf } from './fixture.ts';

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);

describe('Whoever has no token', () => {
  it('learns that the host is there, and nothing else', async () => {
    const serving = await Serving.start('straight', { repository: false });
    expect(await serving.get('/health', { anonymous: true })).toMatchObject({ status: 200, body: { ok: true } });
    for (const path of ['/runs', '/openapi.json', '/events', '/events/stream', '/nothing']) {
      const { status, body, headers } = await serving.get(path, { anonymous: true });
      expect([path, status, body.error.code]).toEqual([path, 401, 'REQUEST_DENIED']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it.each([
    ['another token', (token: string) => `Bearer ${token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`],
    ['half a token', (token: string) => `Bearer ${token.slice(0, 20)}`],
    ['more than a token', (token: string) => `Bearer ${token}${token}`],
    ['another scheme', (token: string) => `Basic ${token}`],
    ['nothing', () => 'Bearer '],
    ['something endless', () => `Bearer ${'a'.repeat(8000)}`],
  ])('is refused with %s', async (_, header) => {
    const serving = await Serving.start('straight', { repository: false });
    const { status } = await serving.get('/runs', {
      anonymous: true,
      headers: { authorization: header(serving.token) },
    });
    expect(status).toBe(401);
  });

  it('is refused with the token in the address, and told why', async () => {
    const serving = await Serving.start('straight', { repository: false });
    for (const name of ['token', 'access_token']) {
      const { status, body } = await serving.get(`/runs?${name}=${serving.token}`, { anonymous: true });
      expect([status, body.error.message]).toEqual([401, expect.stringContaining('ends up in logs')]);
    }
    expect((await serving.get(`/runs?token=${serving.token}`)).status).toBe(400);
  });

  it('cannot keep those waiting who have one, by asking too often', async () => {
    const serving = await Serving.start('straight', { repository: false, limits: { unknown: 5 } });
    const ask = () => serving.get('/runs', { anonymous: true });
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const limited = answers.find(({ status }) => status === 429);
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await serving.get('/runs')).status).toBe(200);
  });
});

describe('Whoever has the token', () => {
  it('cannot ask without end either', async () => {
    const serving = await Serving.start('straight', { repository: false, limits: { known: 5 } });
    const answers = await Promise.all(Array.from({ length: 7 }, () => serving.get('/runs')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});

describe('A page of somebody else', () => {
  it.each([
    'http://evil.example',
    'http://localhost:3000',
    'https://127.0.0.1',
    'null',
    'http://127.0.0.1.evil.example',
  ])('at %s cannot change anything, even if it had the token', async (origin) => {
    const serving = await Serving.start('straight', { repository: false });
    const { status, body } = await serving.post(
      '/runs',
      { template: 'flow', goal: 'x', by: 'eve' },
      { headers: { origin } },
    );
    expect([status, body.error.code]).toEqual([403, 'REQUEST_DENIED']);
    expect((await serving.get('/runs')).body.items).toEqual([]);
  });

  it('cannot pretend to be of this origin by a name that leads here', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const names = [
      'evil.example',
      `evil.example:${serving.port}`,
      '127.0.0.1.evil.example',
      'localhost.evil',
      '10.0.0.1',
      '',
    ];
    for (const host of names) {
      const text = await serving.raw(
        'GET /api/v1/runs HTTP/1.1',
        `host: ${host}`,
        `authorization: Bearer ${serving.token}`,
        'connection: close',
      );
      expect([host, statusOf(text)]).toEqual([host, 403]);
      expect(text).toContain('REQUEST_DENIED');
    }
  });

  it('is told nothing that lets it read an answer', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const { headers } = await serving.get('/health', { anonymous: true });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await serving.ask('OPTIONS', '/runs', { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  });

  it('of this origin, by each of its names, can call', async () => {
    const serving = await Serving.start('straight', { repository: false });
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      const text = await serving.raw(
        'GET /api/v1/runs HTTP/1.1',
        `host: ${name}:${serving.port}`,
        `origin: http://${name}:${serving.port}`,
        `authorization: Bearer ${serving.token}`,
        'connection: close',
      );
      expect([name, statusOf(text)]).toEqual([name, 200]);
    }
  });
});

describe('A request that is none', () => {
  it('is answered with what is wrong with it', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const wanted = { template: 'flow', goal: 'x', by: 'pat' };
    const post = (raw: string, headers = {}) => serving.ask('POST', '/runs', { raw, headers });
    expect(await post('{"goal":')).toMatchObject({ status: 400 });
    expect(await post('"text"')).toMatchObject({ status: 400 });
    expect(await post('null')).toMatchObject({ status: 400 });
    expect(await post(JSON.stringify(wanted), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await post(JSON.stringify({ ...wanted, admin: true }))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('admin') } },
    });
    expect(await post('{"template":"flow","goal":"x","by":"pat","__proto__":{"admin":true}}')).toMatchObject({
      status: 400,
    });
    expect(await post('['.repeat(100_000) + ']'.repeat(100_000))).toMatchObject({ status: 400 });
    expect(await post(JSON.stringify({ ...wanted, by: 'eve\nann approved' }))).toMatchObject({ status: 400 });
    expect(await post(JSON.stringify({ ...wanted, template: '../../etc/passwd' }))).toMatchObject({ status: 400 });
    expect(await serving.get('/runs?nothing=1')).toMatchObject({ status: 400 });
    expect((await serving.get('/runs')).body.items).toEqual([]);
  });

  it('is told what there is not, and what cannot be done', async () => {
    const serving = await Serving.start('straight', { repository: false });
    expect(await serving.get('/nothing')).toMatchObject({ status: 404, body: { error: { code: 'REQUEST_UNKNOWN' } } });
    const deleted = await serving.ask('DELETE', '/runs');
    expect([deleted.status, deleted.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect(await serving.get('/runs/run-0')).toMatchObject({ status: 404, body: { error: { code: 'RUN_UNKNOWN' } } });
    expect(await serving.get('/deliveries/9.9')).toMatchObject({ status: 404 });
    expect(await serving.get('/plugins/nobody')).toMatchObject({ status: 404 });
    expect(await serving.get('/hooks/nothing')).toMatchObject({ status: 404 });
  });

  it.each(['..%2F..%2Fetc%2Fpasswd', '%2e%2e', 'run-1%00', 'a%0d%0ab', `${'a'.repeat(5000)}`, '%ff%fe', '*', '{x}'])(
    'for the run %s leads nowhere',
    async (id) => {
      const serving = await Serving.start('straight', { repository: false });
      for (const path of [`/runs/${id}`, `/plugins/${id}`, `/deliveries/${id}`, `/hooks/${id}`]) {
        const { status } = await serving.get(path);
        expect([400, 404]).toContain(status);
      }
      expect([400, 404]).toContain((await serving.post(`/runs/${id}/abort`, { by: 'eve', reason: 'x' })).status);
    },
  );

  it('with a body that is too long is cut off, whether it says so or not', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const head = [
      'POST /api/v1/runs HTTP/1.1',
      `host: 127.0.0.1:${serving.port}`,
      `authorization: Bearer ${serving.token}`,
      'content-type: application/json',
      'connection: close',
    ];
    const announced = await serving.raw(...head, 'content-length: 2147483648');
    expect(statusOf(announced)).toBe(413);
    const socket = serving.socket();
    const answer = textOf(socket);
    socket.write([...head, 'transfer-encoding: chunked', '', ''].join('\r\n'));
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    // It is cut off before all of that has been taken.
    for (let i = 0; i < 1000 && socket.writable; i++) {
      if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), answer]);
    }
    expect(statusOf(await answer)).toBe(413);
    expect((await serving.get('/health', { anonymous: true })).status).toBe(200);
  });

  it.each([
    ['a length below nothing', ['content-length: -5'], 400],
    ['two lengths', ['content-length: 5', 'content-length: 6'], 400],
    ['a length and chunks', ['content-length: 5', 'transfer-encoding: chunked'], 400],
    ['headers without end', [`x-long: ${'a'.repeat(100_000)}`], 431],
  ])('with %s is refused', async (_, lines, expected) => {
    const serving = await Serving.start('straight', { repository: false });
    const head = ['POST /api/v1/runs HTTP/1.1', `host: 127.0.0.1:${serving.port}`];
    const text = await serving.raw(...head, `authorization: Bearer ${serving.token}`, ...lines);
    expect(statusOf(text)).toBe(expected);
    expect((await serving.get('/runs')).status).toBe(200);
  });

  it('that never comes to an end is given up', async () => {
    const serving = await Serving.start('straight', { repository: false, limits: { headersMs: 200, requestMs: 400 } });
    const slow = serving.socket();
    slow.write('GET /api/v1/runs HTTP/1.1\r\nhost: ');
    const body = serving.socket();
    const head = ['POST /api/v1/runs HTTP/1.1', `host: 127.0.0.1:${serving.port}`, 'content-type: application/json'];
    body.write([...head, `authorization: Bearer ${serving.token}`, 'content-length: 100', '', '{"goal"'].join('\r\n'));
    const [first, second] = await Promise.all([textOf(slow), textOf(body)]);
    expect(statusOf(first)).toBe(408);
    expect([408, 400]).toContain(statusOf(second));
  });
});

describe('A thousand idle connections', () => {
  it('keep nobody from being answered', async () => {
    const serving = await Serving.start('straight', { repository: false });
    const sockets = Array.from({ length: 1000 }, () => serving.socket());
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await serving.get('/runs')).status).toBe(200);
  });
});

describe.runIf(confinements.includes('namespace'))('An agent', () => {
  it('does not find the token with which gates are approved', async () => {
    const stage = new Stage('straight');
    const agent = stage.read('agent.sh') ?? '';
    stage.write(
      'agent.sh',
      agent.replace('\n', `\ncat '${stage.dir}/.patchbay/api-token' > '${stage.dir}/sources/stolen'\n`),
    );
    stage.write('sources/stolen', 'not yet');
    stage.commit();
    const serving = await Serving.start(stage);
    await serving.becomes(await serving.begin(), 'waiting');
    expect(stage.read('sources/stolen')).toBe('');
    expect(serving.token).not.toBe('');
  });
});
