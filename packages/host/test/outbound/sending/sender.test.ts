import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { mostAttempts } from '../../../src/outbound/sending/backoff.ts';
import { answer, handler as receiver } from '../http-fixture.ts';
import { accepted, key, later, oldKey, sends, station } from './fixture.ts';

/** Answers these one after the other, the last one for ever. */
const inTurn =
  (...answers: ReturnType<typeof answer>[]) =>
  (...[response, number, request]: Parameters<ReturnType<typeof answer>>) =>
    answers[Math.min(number, answers.length - 1)]?.(response, number, request);

describe('A request that a handler asks for', () => {
  it('is sent by the host, and the delivery says that it arrived', async () => {
    const post = await receiver(answer(204));
    const at = await station();
    at.add('p', () => sends(`${post.url}?a=1`, { text: 'hello' }, { 'X-Own': 'yes' }));
    await at.emitter.emit(accepted());
    await at.rest();
    const [{ method, path, headers, body } = {} as never] = post.received;
    expect([method, path, JSON.parse(body)]).toEqual(['POST', '/hook?a=1', { text: 'hello' }]);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-own': 'yes', 'user-agent': 'patchbay' });
    expect(await at.deliveries()).toMatchObject([
      { status: 'ok', verdict: 'ok', attempts: 1, http_status: 204, message: null, due_at: null },
    ]);
  });

  it('is signed as Standard Webhooks says, by each key, so that receivers may know the old or the new one', async () => {
    const post = await receiver(answer(200));
    const at = await station({ signing: [key, oldKey] });
    at.add('p', () => sends(post.url, { text: 'grüße' }));
    await at.emitter.emit(accepted());
    await at.rest();
    const [{ headers, body } = {} as never] = post.received;
    for (const known of [key, oldKey]) {
      expect(new Webhook(known).verify(body, headers as Record<string, string>)).toEqual({ text: 'grüße' });
    }
    const stranger = new Webhook(Buffer.from('s'.repeat(32)).toString('base64'));
    expect(() => stranger.verify(body, headers as Record<string, string>)).toThrow('No matching signature');
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  it('is not signed without a key, but says which delivery it is', async () => {
    const post = await receiver(answer(200));
    const at = await station();
    at.add('p', () => sends(post.url));
    await at.emitter.emit(accepted());
    await at.rest();
    const [one] = await at.deliveries();
    const { headers } = post.received[0] as never as { headers: Record<string, string> };
    expect(headers).toMatchObject({ 'idempotency-key': one?.key, 'webhook-id': one?.key.replace('.', '_') });
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  it('that did not arrive is sent again, the same under the same id, at a new time; nobody is asked again', async () => {
    const post = await receiver(inTurn(answer(503, { message: 'busy' }), answer(200)));
    const at = await station({ signing: [key] });
    let asked = 0;
    at.add('p', () => sends(post.url, { asked: ++asked }));
    await at.emitter.emit(accepted());
    await at.rest();
    const [waiting] = await at.deliveries();
    const failure = { status: 'sending', attempts: 1, http_status: 503, message: expect.stringContaining('503: busy') };
    expect(waiting).toMatchObject(failure);
    expect(Date.parse(waiting?.due_at ?? '')).toBeGreaterThan(at.clock.now);
    await at.rest();
    expect(post.received).toHaveLength(1);
    await later(at);
    expect(await at.deliveries()).toMatchObject([{ status: 'ok', attempts: 2, http_status: 200, message: null }]);
    const [first, second] = post.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThan(Number(first?.headers['webhook-timestamp']));
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
    expect(asked).toBe(1);
  });

  it.each([
    [200, 'ok'],
    [202, 'ok'],
    [301, 'failed'],
    [400, 'failed'],
    [401, 'failed'],
    [404, 'failed'],
    [408, 'sending'],
    [409, 'sending'],
    [410, 'failed'],
    [413, 'failed'],
    [425, 'sending'],
    [429, 'sending'],
    [500, 'sending'],
    [599, 'sending'],
  ])('to which %i is answered is then %s', async (status, becomes) => {
    const post = await receiver(answer(status, 'plain words'));
    const at = await station();
    at.add('p', () => sends(post.url));
    await at.emitter.emit(accepted());
    await at.rest();
    const [one] = await at.deliveries({ event: 'turn:accepted' });
    expect([one?.status, one?.http_status, one?.attempts, post.received.length]).toEqual([becomes, status, 1, 1]);
  });

  it.each([
    ['nobody listens', (url: string) => url.replace(/:\d+/, ':9'), 'ECONNREFUSED'],
    ['nobody answers', (url: string) => url, 'did not answer within 100 ms'],
  ])('is sent again if %s', async (_, at, why) => {
    const post = await receiver(() => {});
    const here = await station({ timeoutMs: 100 });
    here.add('p', () => sends(at(post.url)));
    await here.emitter.emit(accepted());
    await here.rest();
    expect(await here.deliveries()).toMatchObject([
      { status: 'sending', attempts: 1, message: expect.stringContaining(why) },
    ]);
  });

  it('has arrived when the receiver says so, even if it never ends its answer', async () => {
    const post = await receiver((response) => void response.writeHead(200).write('so'));
    const at = await station();
    at.add('p', () => sends(post.url));
    await at.emitter.emit(accepted());
    await at.rest();
    expect(await at.deliveries()).toMatchObject([{ status: 'ok', http_status: 200 }]);
  });

  it('waits as long as the receiver wants', async () => {
    const post = await receiver(inTurn(answer(429, '', { 'retry-after': '7200' }), answer(200)));
    const at = await station();
    at.add('p', () => sends(post.url));
    await at.emitter.emit(accepted());
    await at.rest();
    const [one] = await at.deliveries();
    expect(one?.due_at).toBe(new Date(at.clock.now + 7_200_000).toISOString());
  });

  it('is given up after the last attempt, and that is told as an event, once', async () => {
    const post = await receiver(answer(500));
    const at = await station();
    at.add('p', () => sends(post.url));
    const told: unknown[] = [];
    at.add('watcher', (payload: { delivery_id: string }) => void told.push(payload.delivery_id), 'delivery:failed');
    await at.emitter.emit(accepted());
    await at.rest();
    for (let i = 0; i < mostAttempts + 3; i++) await later(at);
    expect(post.received).toHaveLength(mostAttempts);
    const failed = await at.deliveries({ status: ['failed'] });
    expect(failed).toMatchObject([{ attempts: mostAttempts, http_status: 500, due_at: null }]);
    expect(told).toEqual([failed[0]?.id]);
  });

  it('is not sent where the plugin may not send: it fails at once and names the grant', async () => {
    const post = await receiver(answer(200));
    const at = await station({ grants: [], own: true });
    at.add('p', () => sends(post.url));
    await at.emitter.emit(accepted());
    await at.rest();
    expect(await at.deliveries({ status: ['failed'] })).toMatchObject([
      { attempts: 0, message: expect.stringContaining(`net:127.0.0.1:${post.port}`) },
    ]);
    expect([post.received, await at.ledger.endpoints()]).toEqual([[], []]);
  });

  it('does not follow the receiver to another one', async () => {
    const [other, near] = [await receiver(answer(200)), await receiver(answer(200))];
    const post = await receiver(answer(307, '', { location: other.url }));
    const same = await receiver(inTurn(answer(308, '', { location: '/moved' }), answer(200)));
    const at = await station();
    at.add('p', ({ summary }: { summary: string }) => sends(summary === '0' ? post.url : same.url));
    await at.emitter.emit(accepted(0));
    await at.emitter.emit(accepted(1));
    await at.rest();
    expect(await at.deliveries({ event: 'turn:accepted' })).toMatchObject([
      { status: 'failed', http_status: 307, message: expect.stringContaining('another host') },
      { status: 'ok' },
    ]);
    expect([other.received, near.received, same.received.map(({ path }) => path)]).toEqual([
      [],
      [],
      ['/hook', '/moved'],
    ]);
  });

  it('that cannot be made is a delivery that failed', async () => {
    const at = await station();
    at.add('p', () => sends('gopher://old.example/'));
    await at.emitter.emit(accepted());
    await at.rest();
    expect(await at.deliveries({ status: ['failed'] })).toMatchObject([
      { event: 'turn:accepted', verdict: 'fail', message: expect.stringContaining('http or https'), request: null },
    ]);
  });

  it('of a plugin that is kept from running waits until it is back', async () => {
    const post = await receiver(answer(200));
    const first = await station({ rights: null });
    first.add('p', () => sends(post.url));
    await first.emitter.emit(accepted());
    await first.rest();
    expect([await first.deliveries(), post.received]).toMatchObject([[{ status: 'sending', attempts: 0 }], []]);
    await first.close();
    const second = await station({ file: first.file });
    await second.rest();
    expect(post.received).toEqual([]);
    second.add('p', () => {});
    await second.rest();
    expect(await second.deliveries()).toMatchObject([{ status: 'ok' }]);
  });
});
