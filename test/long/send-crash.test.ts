import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { numbers, seed } from '../crash/chance.ts';
import { asking } from '../crash/packages.ts';
import { Scene } from '../crash/scene.ts';
import { pluginText } from '../project.ts';

process.stderr.write(`CRASH_SEED=${seed}\n`);

/** The longest that is waited before the second attempt. */
const secondMs = 5000;

/** A receiver that turns some away the first time; tells of each request by which id it came. */
async function receiver(heard: () => void) {
  const requests: { id: string; event: string; answered: number }[] = [];
  const known = new Set<string>();
  const server = createServer(async (request, response) => {
    let body = '';
    try {
      for await (const text of request.setEncoding('utf8')) body += text;
    } catch {
      // One that is killed while it speaks has said nothing.
      return;
    }
    const { event_id: event } = JSON.parse(body) as { event_id: string };
    const isNew = !known.has(event);
    known.add(event);
    const answered = isNew && known.size % 50 === 0 ? 503 : 200;
    requests.push({ id: String(request.headers['webhook-id']), event, answered });
    response.writeHead(answered).end();
    heard();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests };
}

describe('a host that is killed while it sends', () => {
  it('has every request arrive, under the one id it has, and loses none', async () => {
    const total = 1500;
    let awake = () => {};
    const acknowledged = new Set<string>();
    const post = await receiver(() => awake());
    const scene = new Scene([asking(post.url)]);
    const start = () =>
      scene.host(['watched', String(acknowledged.size), String(total)], (line) => {
        if (line.startsWith('ack ')) acknowledged.add(line.slice(4));
      });
    const kills = numbers(12, total - 50).toSorted((a, b) => a - b);
    for (const count of kills) {
      const { child, ended, stderr } = start();
      const reached = new Promise<void>((resolve) => {
        awake = () => post.requests.length >= count && resolve();
      });
      awake();
      await Promise.race([reached, ended]);
      child.kill('SIGKILL');
      expect(await ended, stderr()).toEqual([null, 'SIGKILL']);
    }
    const finish = async () => {
      const { ended, stderr } = start();
      expect(await ended, stderr()).toEqual([0, null]);
    };
    await finish();
    await sleep(secondMs);
    await finish();

    const { deliveries, verified } = scene.look();
    expect(verified.ok).toBe(true);
    const owed = deliveries.filter(({ plugin }) => plugin === 'ask');
    expect(owed.filter(({ status }) => status !== 'ok')).toEqual([]);
    const arrived = new Map(
      post.requests.filter(({ answered }) => answered === 200).map(({ id, event }) => [id, event]),
    );
    expect([...arrived.keys()].toSorted()).toEqual(owed.map(({ key }) => key.replaceAll('.', '_')).toSorted());
    expect(new Set(arrived.values()).size).toBe(owed.length);
    expect(new Set(post.requests.map(({ id }) => id)).size).toBe(owed.length);
    process.stderr.write(`${kills.length} kills; sent ${post.requests.length} times for ${owed.length}\n`);
    await scene.deserted();
    expect(scene.litter()).toEqual([]);
  });
});

describe('a flood of requests to a receiver that never answers', () => {
  it('waits in the ledger, not in memory, and neighbours get all they are owed', async () => {
    const total = 10_000;
    const open = new Set<unknown>();
    let most = 0;
    const server = createServer((request, response) => {
      open.add(request);
      most = Math.max(most, open.size);
      response.on('close', () => open.delete(request));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const scene = new Scene([]);
    // All of the bodies together are 100 MB.
    const send = `{ url: 'http://127.0.0.1:${port}/', body: 'x'.repeat(10_000) }`;
    writeFileSync(
      join(scene.project, 'ask.mjs'),
      pluginText('ask', `'turn:accepted': () => ({ verdict: 'ok', send: ${send} })`),
    );
    const entry = `{ path: ask.mjs, grants: ['net:127.0.0.1:${port}'] }`;
    writeFileSync(join(scene.project, 'patchbay.yaml'), `plugins: { ask: ${entry} }`);
    const flooded = scene.flood(total, ['--max-old-space-size=80']);
    expect(await flooded.ended, flooded.stderr()).toEqual([0, null]);
    const { deliveries } = scene.look();
    const of = (name: string) => deliveries.filter(({ plugin }) => plugin === name);
    expect(of('neighbour').map(({ status }) => status)).toEqual(Array.from({ length: total }, () => 'ok'));
    expect(of('ask').every(({ status }) => status === 'sending')).toBe(true);
    expect(of('ask')).toHaveLength(total);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(8);
  });
});
