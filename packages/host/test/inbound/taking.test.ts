import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { echo, refused, serving } from './fixture.ts';

describe('a request on the route of a plugin', () => {
  it('reaches its handler with payload, raw body and lower-cased headers, and is in the ledger', async () => {
    const at = await serving({ hook: echo() });
    const answer = await at.post('/echo?x=1', '{ "a": [1] }', { 'X-GitHub-Event': 'push', Authorization: 'Bearer x' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const got = (await answer.json()) as { headers: Record<string, string> };
    expect(got).toMatchObject({ path: '/echo', payload: { a: [1] }, raw: '{ "a": [1] }' });
    expect(got.headers).toMatchObject({ 'x-github-event': 'push', 'content-type': 'application/json' });
    expect(got.headers).not.toHaveProperty('authorization');
    const [event] = await at.received();
    expect(event?.payload).toMatchObject({ plugin: 'hook', path: '/echo', body: '{ "a": [1] }', headers: got.headers });
    await eventually(async () => {
      expect(await at.deliveries()).toMatchObject([{ plugin: 'webhooks of hook', handler: '/echo', status: 'ok' }]);
    });
  });

  it('is told to plugins that watch requests, too', async () => {
    const at = await serving({ hook: echo() });
    const seen: unknown[] = [];
    at.host.load({
      name: 'watcher',
      version: '1.0.0',
      hooks: { 'webhook:received': ({ path }: { path: string }) => void seen.push(path) },
    });
    await at.post('/echo');
    await at.service.rest();
    expect(seen).toEqual(['/echo']);
  });

  it('is answered as the handler says: nothing, a status, a body', async () => {
    const at = await serving({
      hook: () => [
        { path: '/nothing', handle: () => undefined },
        { path: '/made', handle: async () => ({ status: 201, body: ['made'] }) },
        { path: '/gone', handle: () => ({ status: 410, body: 'no more' }) },
      ],
    });
    const answers = await Promise.all(['/nothing', '/made', '/gone'].map((path) => at.post(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 410]);
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([{}, ['made'], 'no more']);
  });

  it('is not taken where there is no route, nor with another method or kind of body', async () => {
    const at = await serving({ hook: echo() });
    expect(await refused(await at.post('/other'))).toEqual([404, 'NO_ROUTE']);
    expect(await refused(await at.post('/echo/'))).toEqual([404, 'NO_ROUTE']);
    const get = await fetch(at.url('/echo'));
    expect(get.headers.get('allow')).toBe('POST');
    expect(await refused(get)).toEqual([405, 'METHOD']);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'json',
    ]) {
      expect(await refused(await at.post('/echo', '{}', { 'content-type': type }))).toEqual([415, 'MEDIA_TYPE']);
    }
    expect(await refused(await at.post('/echo', '{}', { 'content-encoding': 'gzip' }))).toEqual([415, 'MEDIA_TYPE']);
    for (const type of ['application/json;charset=UTF-8', 'application/cloudevents+json; charset="utf-8"']) {
      expect((await at.post('/echo', '{}', { 'content-type': type })).status).toBe(200);
    }
    expect(await at.received()).toHaveLength(2);
  });

  it('is refused where the body is no JSON, no UTF-8 or too deep, and nothing is stored', async () => {
    const at = await serving({ hook: echo() });
    for (const body of ['', '{', 'undefined', '\ufeff{}', Buffer.from([0x22, 0xff, 0x22])]) {
      expect(await refused(await at.post('/echo', body))).toEqual([400, 'BODY_INVALID']);
    }
    expect(await refused(await at.post('/echo', '['.repeat(500_000)))).toEqual([400, 'BODY_INVALID']);
    const deep = '['.repeat(400_000) + ']'.repeat(400_000);
    expect(await refused(await at.post('/echo', deep))).toEqual([400, 'BODY_DEEP']);
    const deepObject = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    expect(await refused(await at.post('/echo', deepObject))).toEqual([400, 'BODY_DEEP']);
    expect(await at.received()).toEqual([]);
  });

  it('is taken however many arrays it has, side by side or in a text, as long as it is not deep', async () => {
    const at = await serving({ hook: echo() });
    const wide = { text: '[{'.repeat(1000), lists: Array.from({ length: 1000 }, () => [{}]) };
    const answer = await at.post('/echo', wide);
    expect([answer.status, ((await answer.json()) as { payload: unknown }).payload]).toEqual([200, wide]);
  });

  it('may have keys that mean something to objects: they are data', async () => {
    let kept: unknown;
    const handle = ({ payload }: { payload: unknown }) => {
      kept = payload;
      return undefined;
    };
    const at = await serving({ hook: () => [{ path: '/p', handle }] });
    const body = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    expect((await at.post('/p', body)).status).toBe(200);
    expect(Object.keys(kept as object)).toEqual(['__proto__', 'constructor']);
    expect((kept as { polluted?: unknown }).polluted).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('is refused with 429 beyond the rate, each route for itself', async () => {
    const make = () => [
      { path: '/a', handle: () => undefined },
      { path: '/b', handle: () => undefined },
    ];
    const at = await serving({ hook: make }, { limits: { perSecond: 5 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => at.post('/a')));
    const late = answers.filter(({ status }) => status === 429);
    expect(late.length).toBeGreaterThanOrEqual(5);
    expect(Number(late[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused(late[0] as Response)).toEqual([429, 'RATE']);
    expect((await at.post('/b')).status).toBe(200);
  });

  it('is answered 503 while the ledger cannot be written, and is taken again afterwards', async () => {
    const at = await serving({ hook: echo() });
    const append = vi.spyOn(at.ledger, 'append').mockRejectedValueOnce(new Error('disk full'));
    const answer = await at.post('/echo', {}, { 'idempotency-key': 'x' });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused(answer)).toEqual([503, 'STORAGE']);
    append.mockRestore();
    const again = await at.post('/echo', {}, { 'idempotency-key': 'x' });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});

describe('routes are refused when they are loaded', () => {
  const route = (path: string, proof?: unknown) => () => [{ path, proof, handle: () => undefined }] as never;

  it('where two plugins want the same path: both are named', async () => {
    const both = serving({ one: route('/same'), two: route('/same') });
    await expect(both).rejects.toMatchObject({ code: 'WEBHOOK_DUPLICATE' });
    await expect(both).rejects.toThrow('plugins "two" and "one" both want the requests on /same');
  });

  it.each(['', 'x', '/', '/a/', '//a', '/a?b', '/:id', '/*', '/a b', '/ä', `/${'a'.repeat(300)}`])(
    'where the path is %j',
    async (path) => {
      await expect(serving({ one: route(path) })).rejects.toMatchObject({ code: 'WEBHOOK_INVALID', plugin: 'one' });
    },
  );

  it.each([
    { scheme: 'github', secrets: [] },
    { scheme: 'bearer', secrets: ['good', ''] },
    { scheme: 'hmac', secrets: [] },
    { scheme: 'standard', secrets: ['whsec_'] },
  ])('where there is no usable secret: %j', async (proof) => {
    await expect(serving({ one: route('/a', proof) })).rejects.toMatchObject({ code: 'WEBHOOK_INVALID' });
  });

  it('where anybody could send: no proof, and an address that others reach', async () => {
    const open = serving({ one: route('/a') }, { host: '0.0.0.0' });
    await expect(open).rejects.toMatchObject({ code: 'WEBHOOK_UNPROVEN', plugin: 'one' });
    const at = await serving({ one: route('/a', { scheme: 'bearer', secrets: ['s'] }) }, { host: '0.0.0.0' });
    expect((await at.post('/a')).status).toBe(401);
  });

  it('and a port that is taken is told', async () => {
    const at = await serving({ one: route('/a') });
    const { kernel } = at.host;
    const { startInbound } = await import('../../src/inbound/index.ts');
    const project = at.host.project as NonNullable<typeof at.host.project>;
    const second = startInbound({ kernel, service: at.service, project, port: at.port });
    await expect(second).rejects.toMatchObject({ code: 'PORT_TAKEN' });
  });

  it('but one plugin that fails to give any leaves those of the others', async () => {
    const bad = () => {
      throw new Error('not today');
    };
    const at = await serving({ bad, good: echo('/good') });
    expect((await at.post('/good')).status).toBe(200);
  });
});
