import { describe, expect, it } from 'vitest';
import { answer, call, handler, newClient, rawHandler } from './http-fixture.ts';

/** After 10 s connecting is given up anyway: what ends before this has heeded something else. */
const connectBound = 8_000;

describe('an answer 4xx', () => {
  it.each([400, 401, 404, 410, 422, 429, 499])('%i is a failure and not tried again', async (status) => {
    const { url, received } = await handler(answer(status, { verdict: 'ok', message: 'Who are you?' }));
    expect(await call(url)).toMatchObject({
      status: 'failed',
      verdict: 'fail',
      http_status: status,
      attempts: 1,
      message: `${new URL(url).origin} answered ${status}: Who are you?`,
    });
    expect(received).toHaveLength(1);
  });
});

describe('an answer 5xx', () => {
  it('is tried once more after 2 s', async () => {
    const waits: number[] = [];
    const { url, received } = await handler((response, number) => {
      const again = number > 0;
      answer(again ? 200 : 503, again ? { verdict: 'ok', message: 'Now it works' } : '')(
        response,
        number,
        response.req,
      );
    });
    const wait = async (ms: number) => void waits.push(ms);
    expect(await call(url, { wait })).toMatchObject({ status: 'ok', message: 'Now it works', attempts: 2 });
    expect(waits).toEqual([2000]);
    expect(received).toHaveLength(2);
    expect(received[1]).toEqual(received[0]);
  });

  it('is not tried again earlier', async () => {
    const times: number[] = [];
    const { url } = await handler((response) => {
      times.push(performance.now());
      response.writeHead(500).end();
    });
    const { attempts, duration_ms } = await call(url, { wait: 'as usual' });
    const [first = 0, second = 0] = times;
    expect(attempts).toBe(2);
    expect(second - first).toBeGreaterThan(1_900);
    expect(duration_ms).toBeGreaterThan(1_900);
  });

  it.each([500, 502, 503, 504, 599])('%i twice is a failure, and not tried a third time', async (status) => {
    const { url, received } = await handler(answer(status, 'Bad gateway'));
    expect(await call(url)).toMatchObject({
      status: 'failed',
      verdict: 'fail',
      http_status: status,
      attempts: 2,
      output: 'Bad gateway',
    });
    expect(received).toHaveLength(2);
  });

  it('that is followed by another failure ends with that', async () => {
    const { url } = await handler((response, number) => {
      if (number === 0) response.writeHead(500).end();
      else response.socket?.destroy();
    });
    expect(await call(url)).toMatchObject({ status: 'failed', http_status: null, attempts: 2 });
  });
});

describe('a network error', () => {
  it('is a failure and not tried again: nobody listens', async () => {
    const { url, port } = await handler(answer(200));
    const closed = url.replace(`${port}`, '1');
    const outcome = await call(closed, { wait: () => expect.unreachable() });
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', http_status: null, attempts: 1 });
    expect(outcome.message).toContain('ECONNREFUSED');
  });

  it('is a failure and not tried again: the name is unknown', async () => {
    const lookup = () => Promise.reject(new Error('getaddrinfo ENOTFOUND handler.test'));
    const outcome = await call('http://handler.test/', { client: newClient({ lookup }) });
    expect(outcome).toMatchObject({ status: 'failed', attempts: 1, timed_out: false });
    expect(outcome.message).toBe('calling http://handler.test failed: getaddrinfo ENOTFOUND handler.test');
  });

  it('is a failure and not tried again: a name without addresses', async () => {
    const outcome = await call('http://handler.test/', { client: newClient({ lookup: async () => [] }) });
    expect(outcome.message).toBe('calling http://handler.test failed: handler.test has no address');
  });

  it('is a failure and not tried again: the connection is cut', async () => {
    const started = await rawHandler((socket) => socket.once('data', () => socket.destroy()));
    expect(await call(started.url)).toMatchObject({ status: 'failed', verdict: 'fail', attempts: 1 });
    expect(started.connections).toBe(1);
  });
});

describe('past its timeout a call is aborted and a failure', () => {
  it.each([
    ['before the head of the answer', () => {}],
    ['inside the answer', (response: { write(chunk: string): unknown }) => response.write('{"verdict"')],
  ])('%s', async (_, answering) => {
    const { url, received } = await handler(answering);
    const outcome = await call(url, { timeoutMs: 150 });
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', timed_out: true, attempts: 1 });
    expect(outcome.message).toBe(`${new URL(url).origin} did not answer within 150 ms`);
    expect(received).toHaveLength(1);
  });

  it('while its name is looked up', async () => {
    const client = newClient({ lookup: () => new Promise(() => {}) });
    const outcome = await call('http://handler.test/', { client, timeoutMs: 50 });
    expect(outcome).toMatchObject({ status: 'failed', timed_out: true });
    expect(outcome.duration_ms).toBeLessThan(connectBound);
  });

  it('each attempt for itself', async () => {
    const { url } = await handler((response, number) => {
      if (number === 0) response.writeHead(500).end();
    });
    expect(await call(url, { timeoutMs: 150 })).toMatchObject({ status: 'failed', timed_out: true, attempts: 2 });
  });
});

describe('a signal ends a call', () => {
  it('before it begins', async () => {
    const started = await handler(answer(200));
    const outcome = await call(started.url, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ status: 'failed', timed_out: false, attempts: 0 });
    expect(started.connections).toBe(0);
  });

  it('while it waits for the answer, whose connection is dropped', async () => {
    const abort = new AbortController();
    const dropped = Promise.withResolvers<void>();
    const { url } = await handler((response) => {
      response.on('close', dropped.resolve);
      abort.abort();
    });
    const outcome = await call(url, { signal: abort.signal });
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', timed_out: false, attempts: 1 });
    expect(outcome.message).toBe(`the call of ${new URL(url).origin} was stopped`);
    await dropped.promise;
  });

  it('while its name is looked up', async () => {
    const abort = new AbortController();
    const lookup = () => {
      setImmediate(() => abort.abort());
      return new Promise<never>(() => {});
    };
    const client = newClient({ lookup });
    const outcome = await call('http://handler.test/', { client, signal: abort.signal });
    expect(outcome).toMatchObject({ status: 'failed', timed_out: false });
    expect(outcome.duration_ms).toBeLessThan(connectBound);
  });

  it.each([
    ['heeds it', 'as usual'],
    ['does not', () => new Promise<void>(() => {})],
  ] as const)('while it waits for the retry, if what waits %s', async (_, wait) => {
    const abort = new AbortController();
    const { url, received } = await handler((response) => {
      response.writeHead(503).end(() => setTimeout(() => abort.abort(), 50));
    });
    const outcome = await call(url, { signal: abort.signal, wait });
    expect(outcome).toMatchObject({ status: 'failed', http_status: 503, attempts: 1 });
    expect(received).toHaveLength(1);
  });
});

describe('a redirect', () => {
  const redirect = (status: number, location: string) => answer(status, '', { location });

  it.each([307, 308])('%i within the origin is followed, with body and headers', async (status) => {
    const { url, received } = await handler((response, number, request) => {
      (number === 0 ? redirect(status, '/moved?to=1') : answer(200, { verdict: 'warn' }))(response, number, request);
    });
    expect(await call(url, { headers: { 'X-Team': 'blue' } })).toMatchObject({ status: 'warn', attempts: 1 });
    expect(received[1]).toMatchObject({ method: 'POST', path: '/moved?to=1', headers: { 'x-team': 'blue' } });
    expect(received[1]?.body).toBe(received[0]?.body);
  });

  it('is followed three times, not more', async () => {
    const { url, received } = await handler(redirect(307, '/again'));
    const outcome = await call(url);
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', http_status: 307, attempts: 1 });
    expect(outcome.message).toContain('redirects more than 3 times');
    expect(received).toHaveLength(4);
  });

  it('to another host is not followed, and only the host is named', async () => {
    const other = await handler(answer(200));
    const { url } = await handler(redirect(307, `http://user:pass@127.0.0.1:${other.port}/secret/path?token=1`));
    const outcome = await call(url, { grants: ['net:127.0.0.1'] });
    expect(outcome).toMatchObject({ status: 'failed', http_status: 307, attempts: 1 });
    expect(outcome.message).toBe(
      `${new URL(url).origin} redirects to http://127.0.0.1:${other.port}, but redirects to another host are not followed`,
    );
    expect(other.connections).toBe(0);
  });

  it.each([
    ['the metadata address', 'http://169.254.169.254/latest/meta-data/', 'http://169.254.169.254,'],
    ['another scheme', 'file:///etc/passwd', 'file://,'],
    ['nowhere', 'http://[', 'no address'],
  ])('to %s is not followed', async (_, location, named) => {
    const { url } = await handler(redirect(308, location));
    const outcome = await call(url);
    expect(outcome).toMatchObject({ status: 'failed', http_status: 308 });
    expect(outcome.message).toContain(named);
  });

  it.each([301, 302, 303])('%i is not followed, even within the origin', async (status) => {
    const { url, received } = await handler(redirect(status, '/moved'));
    expect(await call(url)).toMatchObject({ status: 'failed', verdict: 'fail', http_status: status });
    expect(received).toHaveLength(1);
  });

  it('without an address is a failure', async () => {
    const { url } = await handler(answer(304));
    expect((await call(url)).message).toContain('answered 304');
  });
});
