import { describe, expect, it } from 'vitest';
import { answer, call, disconnected, handler, newClient } from './http-fixture.ts';

/** 127.0.0.2 stands for an address that is refused; 127.0.0.1, which the tests grant, for a public one. */
const open = '127.0.0.1';
const forbidden = '127.0.0.2';

/** Two servers at one port, at either address. */
async function pair() {
  const allowed = await handler(answer(200, { verdict: 'ok', message: 'public' }), open);
  const internal = await handler(answer(200, { verdict: 'ok', message: 'internal' }), forbidden, allowed.port);
  return { allowed, internal, url: `http://handler.test:${allowed.port}/` };
}

/** Answers each question with the next of these, then with the last. */
function resolver(...answers: string[][]) {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  return { asked, lookup };
}

const grants = ['net:handler.test', `net:${open}`];

describe('an address that a plugin may not call', () => {
  it('is refused when a granted name leads to it, and no connection is made', async () => {
    const { internal, url } = await pair();
    const { lookup } = resolver([forbidden]);
    const outcome = await call(url, { client: newClient({ lookup }), grants });
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', http_status: null, attempts: 1 });
    expect(outcome.message).toBe(
      `handler.test is at ${forbidden}, a loopback address; only the grant net:${forbidden}:${internal.port} would allow that`,
    );
    expect(internal.connections).toBe(0);
  });

  it('is refused when the name leads to others as well, and none of them is called', async () => {
    const { allowed, internal, url } = await pair();
    const { lookup } = resolver([open, forbidden]);
    expect((await call(url, { client: newClient({ lookup }), grants })).message).toContain(forbidden);
    expect([allowed.connections, internal.connections]).toEqual([0, 0]);
  });

  it('is refused when it stands in the URL itself, in any notation', async () => {
    const internal = await handler(answer(200), forbidden);
    for (const host of [forbidden, '127.2', '0x7f000002', '2130706434', '[::ffff:127.0.0.2]', '0177.0.0.2']) {
      const outcome = await call(`http://${host}:${internal.port}/`, { grants });
      expect(outcome).toMatchObject({ status: 'failed', message: expect.stringContaining('would allow') });
    }
    expect(internal.connections).toBe(0);
  });

  it('is allowed once it is granted besides the name', async () => {
    const { internal, url } = await pair();
    const { lookup } = resolver([forbidden]);
    const more = [...grants, 'net:127.0.0.0/8'];
    expect(await call(url, { client: newClient({ lookup }), grants: more })).toMatchObject({ message: 'internal' });
    expect(internal.received[0]?.headers.host).toBe(`handler.test:${internal.port}`);
  });

  it('is not looked up if not even the name was granted', async () => {
    const { asked, lookup } = resolver([open]);
    const outcome = await call('http://handler.test/', { client: newClient({ lookup }), grants: [`net:${open}`] });
    expect(outcome.message).toBe(
      'handler.test may not be called at port 80; the grant net:handler.test:80 would allow it',
    );
    expect(asked).toEqual([]);
  });

  it('is not reached through a connection that another plugin, or the same with other grants, has open', async () => {
    const { url } = await pair();
    const client = newClient(resolver([forbidden]));
    const more = [...grants, `net:${forbidden}`];
    expect(await call(url, { client, grants: more })).toMatchObject({ status: 'ok' });
    expect(await call(url, { client, grants: more, plugin: 'other' })).toMatchObject({ status: 'ok' });
    expect(await call(url, { client, grants, plugin: 'other' })).toMatchObject({ status: 'failed' });
    expect(await call(url, { client, grants })).toMatchObject({ status: 'failed' });
  });
});

describe('a name that changes its address between check and use', () => {
  it('is asked once, and the connection goes to what was checked', async () => {
    const { allowed, internal, url } = await pair();
    const { asked, lookup } = resolver([open], [forbidden]);
    expect(await call(url, { client: newClient({ lookup }), grants })).toMatchObject({ message: 'public' });
    expect(asked).toEqual(['handler.test']);
    expect([allowed.connections, internal.connections]).toEqual([1, 0]);
  });

  it('is checked again for the next connection', async () => {
    const { allowed, internal, url } = await pair();
    const { asked, lookup } = resolver([open], [forbidden]);
    const client = newClient({ lookup });
    expect(await call(url, { client, grants })).toMatchObject({ message: 'public' });
    for (const socket of allowed.sockets) socket.end();
    await disconnected(allowed);
    expect(await call(url, { client, grants })).toMatchObject({ status: 'failed', attempts: 1 });
    expect(asked).toHaveLength(2);
    expect(internal.connections).toBe(0);
  });

  it('is checked again for a retry', async () => {
    const failing = await handler(answer(503, '', { connection: 'close' }), open);
    const internal = await handler(answer(200), forbidden, failing.port);
    const { lookup } = resolver([open], [forbidden]);
    const outcome = await call(`http://handler.test:${failing.port}/`, { client: newClient({ lookup }), grants });
    expect(outcome).toMatchObject({ status: 'failed', attempts: 2, message: expect.stringContaining(forbidden) });
    expect(internal.connections).toBe(0);
  });
});

it('localhost may be called once it is granted', async () => {
  const { port } = await handler(answer(200, { verdict: 'ok', message: 'here' }));
  expect(await call(`http://localhost:${port}/`)).toMatchObject({ status: 'ok', message: 'here' });
});

it('a name with several addresses is reached at the one that answers', async () => {
  const { port } = await handler(answer(200, { verdict: 'ok', message: 'here' }), '127.0.0.1');
  const client = newClient(resolver(['127.0.0.3', '127.0.0.1']));
  const outcome = await call(`http://handler.test:${port}/`, {
    client,
    grants: ['net:handler.test', 'net:127.0.0.0/8'],
  });
  expect(outcome).toMatchObject({ status: 'ok', message: 'here' });
});
