import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { type EventPayload, refuse, sample } from 'patchbay-sdk';
import { describe, expect, it, vi } from 'vitest';
import { newEvent } from '../../../src/ledger/index.ts';
import { tryHandlers } from '../../../src/outbound/trial.ts';
import { answer, handler as receiver } from '../http-fixture.ts';
import { accepted, later, sends, station } from './fixture.ts';

type Accepted = EventPayload<'turn:accepted'>;

/** A receiver that answers when it is told to. */
async function slow() {
  const open: ServerResponse[] = [];
  let most = 0;
  const post = await receiver((response) => {
    open.push(response);
    most = Math.max(most, open.length);
  });
  const free = () => {
    for (const response of open.splice(0)) response.writeHead(200).end();
  };
  return { ...post, open, free, most: () => most };
}

describe('Requests that are being sent', () => {
  it('do not hold up the plugin that asked for them, nor its neighbours', async () => {
    const post = await slow();
    const at = await station();
    const [seen, neighbour]: string[][] = [[], []];
    at.add('a', ({ summary }: Accepted) => {
      seen?.push(String(summary));
      return summary === '0' ? sends(post.url) : undefined;
    });
    at.add('b', ({ summary }: Accepted) => void neighbour?.push(String(summary)));
    for (let i = 0; i < 5; i++) await at.emitter.emit(accepted(i));
    await vi.waitFor(() => expect(neighbour).toEqual(['0', '1', '2', '3', '4']), { timeout: 60_000 });
    await vi.waitFor(() => expect(seen).toEqual(['0', '1', '2', '3', '4']), { timeout: 60_000 });
    await vi.waitFor(() => expect(post.open).toHaveLength(1), { timeout: 60_000 });
    expect(await at.deliveries({ status: ['sending'] })).toMatchObject([{ plugin: 'a' }]);
    post.free();
    await at.rest();
    expect(await at.deliveries({ status: ['ok'] })).toHaveLength(10);
  });

  it('arrive in the order of the events while the receiver keeps up', async () => {
    const post = await receiver((response, number) =>
      setTimeout(() => response.writeHead(200).end(), number % 2 === 0 ? 20 : 0),
    );
    const at = await station();
    at.add('p', ({ summary }: Accepted) => sends(post.url, Number(summary)));
    await Promise.all(Array.from({ length: 20 }, (_, i) => at.emitter.emit(accepted(i))));
    await at.rest();
    expect(post.received.map(({ body }) => Number(body))).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('are overtaken when the receiver does not keep up, a few at a time', async () => {
    const post = await slow();
    const at = await station();
    at.add('p', ({ summary }: Accepted) => sends(post.url, Number(summary)));
    await Promise.all(Array.from({ length: 7 }, (_, i) => at.emitter.emit(accepted(i))));
    await vi.waitFor(() => expect(post.open).toHaveLength(4), { timeout: 60_000 });
    const rested = at.rest();
    const freeing = setInterval(post.free, 50);
    await rested;
    clearInterval(freeing);
    expect(post.received.map(({ body }) => Number(body)).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(post.most()).toBe(4);
  });

  it('of all plugins together are bounded too, and each has its turn', async () => {
    const post = await slow();
    const at = await station();
    const names = Array.from({ length: 10 }, (_, i) => `p${i}`);
    for (const name of names) at.add(name, () => sends(post.url, name));
    for (let i = 0; i < 5; i++) await at.emitter.emit(accepted(i));
    await vi.waitFor(() => expect(post.open).toHaveLength(32), { timeout: 60_000 });
    const rested = at.rest();
    const freeing = setInterval(post.free, 20);
    await rested;
    clearInterval(freeing);
    expect(post.most()).toBe(32);
    const counts = Map.groupBy(post.received, ({ body }) => JSON.parse(body));
    expect(names.map((name) => counts.get(name)?.length)).toEqual(names.map(() => 5));
  });

  it('are not waited for by an event that may be refused', async () => {
    const post = await slow();
    const at = await station();
    at.add('p', () => sends(post.url), 'run:started');
    const started = newEvent('run:started', { ...sample('run:started'), event_id: crypto.randomUUID() });
    await at.emitter.emit(started);
    expect(await at.deliveries()).toMatchObject([{ awaited: true, status: 'sending' }]);
    // Asked again, as after a crash, it asks for nothing new.
    await at.emitter.emit(started);
    await vi.waitFor(() => expect(post.open).toHaveLength(1), { timeout: 60_000 });
    post.free();
    await at.rest();
    expect(await at.deliveries()).toMatchObject([{ status: 'ok' }]);
    expect(post.received).toHaveLength(1);
  });

  it('are not asked for by who refuses', async () => {
    const at = await station();
    at.add('p', () => ({ ...refuse('no'), ...sends('http://127.0.0.1:9/'), verdict: 'block' }), 'run:started');
    const started = newEvent('run:started', { ...sample('run:started'), event_id: crypto.randomUUID() });
    await expect(at.emitter.emit(started)).rejects.toMatchObject({ code: 'HOOK_REFUSED' });
    expect(await at.deliveries()).toMatchObject([{ status: 'refused', request: null }]);
  });

  it('when the host goes are sent by the next one, under the same id', async () => {
    const post = await slow();
    const first = await station();
    first.add('p', () => sends(post.url));
    await first.emitter.emit(accepted());
    await vi.waitFor(() => expect(post.open).toHaveLength(1), { timeout: 60_000 });
    const dropped = once(post.open[0] as ServerResponse, 'close');
    await first.close();
    await dropped;
    post.open.length = 0;
    const second = await station({ file: first.file });
    expect(await second.deliveries()).toMatchObject([{ status: 'sending', attempts: 0 }]);
    second.add('p', () => {
      throw new Error('asked again');
    });
    const rested = second.rest();
    await vi.waitFor(() => expect(post.open).toHaveLength(1), { timeout: 60_000 });
    post.free();
    await rested;
    expect(await second.deliveries()).toMatchObject([{ status: 'ok', attempts: 1 }]);
    const ids = post.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });
});

describe('A request that waits for its time', () => {
  it('is sent by the next host when that has come, whatever else it has to send', async () => {
    let isUp = false;
    const post = await receiver((response, number) => {
      if (isUp || number === 0) response.writeHead(isUp ? 200 : 503).end();
    });
    const first = await station();
    first.add('p', ({ summary }: Accepted) => sends(post.url, Number(summary)));
    await first.emitter.emit(accepted(0));
    await first.rest();
    await first.emitter.emit(accepted(1));
    await vi.waitFor(() => expect(post.received).toHaveLength(2), { timeout: 60_000 });
    await first.close();
    isUp = true;
    const second = await station({ file: first.file, add: { p: () => {} }, clock: 'real' });
    await vi.waitFor(async () => expect(await second.deliveries({ status: ['ok'] })).toHaveLength(2), {
      timeout: 60_000,
    });
    expect(post.received.map(({ body }) => Number(body))).toEqual([0, 1, 1, 0]);
  });
});

describe('An endpoint', () => {
  it('that is gone gets nothing more, until a replay arrives there', async () => {
    let status = 410;
    const post = await receiver((response) => response.writeHead(status).end());
    const at = await station();
    at.add('p', () => sends(post.url));
    await at.emitter.emit(accepted());
    await at.rest();
    await at.emitter.emit(accepted());
    await at.rest();
    expect(post.received).toHaveLength(1);
    expect(await at.ledger.endpoints()).toMatchObject([{ plugin: 'p', handler: 'h', disabled_at: expect.any(String) }]);
    const [gone, dead] = await at.deliveries({ event: 'turn:accepted' });
    expect([gone, dead]).toMatchObject([
      { status: 'failed', http_status: 410, attempts: 1 },
      { status: 'failed', attempts: 0, message: expect.stringContaining('answered 410') },
    ]);
    status = 200;
    await at.ledger.replay(dead?.id ?? '');
    await at.rest();
    expect(await at.ledger.delivery(dead?.id ?? '')).toMatchObject({ status: 'ok', attempts: 1 });
    expect(await at.ledger.endpoints()).toEqual([]);
    await at.emitter.emit(accepted());
    await at.rest();
    expect(post.received).toHaveLength(3);
  });

  it('that gives up five in a row is disabled, for the next host too, until its plugin is revived', async () => {
    const post = await receiver(answer(404));
    const first = await station();
    first.add('p', () => sends(post.url));
    for (let i = 0; i < 6; i++) await first.emitter.emit(accepted(i));
    await first.rest();
    expect(post.received).toHaveLength(5);
    await first.close();
    const second = await station({ file: first.file });
    second.add('p', () => sends(post.url));
    await second.emitter.emit(accepted());
    await second.rest();
    expect(post.received).toHaveLength(5);
    expect(await second.ledger.revive('p')).toBe(1);
    await second.emitter.emit(accepted());
    await second.rest();
    expect(post.received).toHaveLength(6);
  });
});

describe('A trial', () => {
  it('tells where a handler would send to, and sends nothing', async () => {
    const post = await receiver(answer(200));
    const at = await station();
    at.add('p', () => sends(`${post.url.replace('//', '//ada:secret@')}?q=1`));
    const told = { handler: 'h', status: 'ok', message: `would send to ${post.url}` };
    expect(await tryHandlers(at.kernel, 'p', accepted())).toMatchObject([told]);
    await at.rest();
    expect([post.received, await at.deliveries()]).toEqual([[], []]);
  });
});

describe('A replay', () => {
  it('sends the same again under the same id, or asks its handler anew', async () => {
    const post = await receiver(answer(200));
    const at = await station();
    let asked = 0;
    at.add('p', () => sends(post.url, { asked: ++asked }));
    await at.emitter.emit(accepted());
    await at.rest();
    const [one] = await at.deliveries();
    await at.ledger.replay(one?.id ?? '');
    await at.rest();
    await at.ledger.replay(one?.id ?? '', { evaluate: true });
    await at.rest();
    expect(post.received.map(({ body }) => JSON.parse(body).asked)).toEqual([1, 1, 2]);
    expect(new Set(post.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});

describe('A secret', () => {
  const env = { TOKEN: 'sk-live-0123456789', PASS: 'p&ss w0rd' };
  const secrets = (at: Awaited<ReturnType<typeof station>>, url: string) => {
    const address = url.replace('//', `//ada:${encodeURIComponent(env.PASS)}@`);
    at.add('p', () => sends(`${address}?t=${env.TOKEN}`, { token: env.TOKEN }, { 'x-token': `Bearer ${env.TOKEN}` }));
  };
  const written = (file: string) =>
    readdirSync(dirname(file)).map((name) => readFileSync(join(dirname(file), name), 'latin1'));

  it('in a request is sent, also by the next host, but nowhere in the files of the ledger', async () => {
    const post = await receiver((response, number) => response.writeHead(number === 0 ? 500 : 200).end(env.TOKEN));
    const first = await station({ env });
    secrets(first, post.url);
    await first.emitter.emit(accepted());
    await first.rest();
    const texts = written(first.file);
    await first.close();
    const second = await station({ file: first.file, env });
    second.add('p', () => {});
    second.clock.now += 60_000;
    await second.rest();
    expect(await second.deliveries()).toMatchObject([{ status: 'ok', attempts: 2 }]);
    expect(post.received).toHaveLength(2);
    for (const { path, body, headers } of post.received) {
      expect([path, body]).toEqual([`/hook?t=${env.TOKEN}`, JSON.stringify({ token: env.TOKEN })]);
      const authorization = `Basic ${Buffer.from(`ada:${env.PASS}`).toString('base64')}`;
      expect(headers).toMatchObject({ authorization, 'x-token': `Bearer ${env.TOKEN}` });
    }
    for (const text of [...texts, ...written(first.file)]) {
      for (const secret of [env.TOKEN, env.PASS, encodeURIComponent(env.PASS)]) expect(text).not.toContain(secret);
    }
  });

  it('that is no longer there makes the delivery fail, which names its variable and can be replayed', async () => {
    const post = await receiver(answer(500));
    const first = await station({ env });
    secrets(first, post.url);
    await first.emitter.emit(accepted());
    await first.rest();
    await first.close();
    const second = await station({ file: first.file });
    second.add('p', () => {});
    await later(second);
    const [one] = await second.deliveries({ event: 'turn:accepted' });
    expect(one).toMatchObject({ status: 'failed', message: expect.stringMatching(/variable (TOKEN|PASS)/) });
    expect(post.received).toHaveLength(1);
  });
});
