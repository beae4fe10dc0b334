import { afterEach, describe, expect, it, vi } from 'vitest';
import { answer, call, disconnected, handler, newClient } from './http-fixture.ts';

/** undici lets a connection rest for a turn of the event loop before it uses it again: calls without a pause need two. */
const few = 2;

describe('connections', () => {
  it('are used again, also after a failure that was answered', async () => {
    const started = await handler((response, number, request) => {
      const failing = number % 2 === 1;
      answer(failing ? 404 : 200, { verdict: 'ok', message: 'x'.repeat(2_000) })(response, number, request);
    });
    const client = newClient();
    for (let i = 0; i < 20; i += 1) await call(started.url, { client });
    expect(started.received).toHaveLength(20);
    expect(started.connections).toBeLessThanOrEqual(few);
  });

  it('are used again for redirects and retries', async () => {
    const started = await handler((response, number, request) => {
      const onward = answer(307, '', { location: '/b' });
      const steps = [onward, onward, answer(503), onward, onward, answer(200)];
      (steps[number] ?? answer(500))(response, number, request);
    });
    expect(await call(started.url)).toMatchObject({ status: 'ok', attempts: 2 });
    expect(started.connections).toBeLessThanOrEqual(few);
  });

  it('are not used again after a call that was given up', async () => {
    const started = await handler((response, number, request) => {
      if (number > 0) answer(200, { verdict: 'ok', message: `${number}` })(response, number, request);
    });
    const client = newClient();
    expect(await call(started.url, { client, timeoutMs: 100 })).toMatchObject({ timed_out: true });
    expect(await call(started.url, { client })).toMatchObject({ message: '1' });
    expect(started.connections).toBe(2);
  });

  it('are enough for 100 calls at a time, each with its own answer', async () => {
    const started = await handler((response, number, request) => {
      const message = String(request.headers['idempotency-key']);
      answer(200, { verdict: 'ok', message })(response, number, request);
    });
    const client = newClient();
    const keys = Array.from({ length: 100 }, (_, i) => `delivery-${i}`);
    const outcomes = await Promise.all(keys.map((key) => call(started.url, { client, key })));
    expect(outcomes.map(({ message }) => message)).toEqual(keys);
    expect(started.connections).toBeLessThanOrEqual(64);
  });

  it('of a plugin whose calls all hang are missed by nobody else', async () => {
    const slow = Promise.withResolvers<void>();
    const started = await handler(async (response, number, request) => {
      if (request.headers['x-slow'] !== undefined) await slow.promise;
      answer(200)(response, number, request);
    });
    const client = newClient();
    const hanging = Array.from({ length: 80 }, () => call(started.url, { client, headers: { 'X-Slow': '1' } }));
    expect(await call(started.url, { client, plugin: 'neighbour' })).toMatchObject({ status: 'ok' });
    slow.resolve();
    expect(await Promise.all(hanging)).toHaveLength(80);
  });
});

describe('closing the client', () => {
  it('drops connections and fails what is under way and what comes after it', async () => {
    const client = newClient();
    const started = await handler(() => void client.close());
    expect(await call(started.url, { client })).toMatchObject({ status: 'failed', timed_out: false });
    await disconnected(started);
    expect(await call(started.url, { client })).toMatchObject({ status: 'failed', timed_out: false });
    expect(await call(started.url, { client, plugin: 'other' })).toMatchObject({ status: 'failed' });
    await client.close();
  });
});

describe('proxies', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('of the environment are not used', async () => {
    const proxy = await handler(answer(200));
    for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']) vi.stubEnv(name, proxy.url);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const { url, received } = await handler(answer(200));
    expect(await call(url)).toMatchObject({ status: 'ok' });
    expect(received).toHaveLength(1);
    expect(proxy.connections).toBe(0);
  });
});
