import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Scene } from '../webhooks/scene.ts';
import { Senders } from '../webhooks/sender.ts';

const clients = 64;
const loadMs = 20_000;
/** A client sends some hundred requests in a second at the most: the ledger must fit on the disk. */
const thinkMs = 10;

function sending(port: number, connections = clients): Senders {
  const senders = new Senders(port, connections);
  onTestFinished(() => senders.close());
  return senders;
}

describe('64 clients that send signed webhooks to a host that is killed twice', () => {
  it('every request that was taken is in the ledger exactly once, and has begun one run', async () => {
    const scene = new Scene();
    await scene.start();
    const senders = sending(scene.port);
    const taken = new Map<string, string>();
    const until = performance.now() + loadMs;
    const client = async (number: number) => {
      for (let n = 0; performance.now() < until; n++) {
        const id = `msg-${number}-${n}`;
        taken.set(id, (JSON.parse(await senders.deliver('/in', id)) as { run?: string }).run ?? '');
        await sleep(thinkMs);
      }
    };
    const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    for (let kills = 0; kills < 2; kills++) {
      await sleep(loadMs / 3);
      await scene.end('SIGKILL');
      await scene.start();
    }
    await all;
    await scene.end('SIGTERM');

    const found = await scene.looking(async (ledger) => {
      const ids: string[] = [];
      for await (const { payload } of ledger.events({ type: 'webhook:received' })) {
        ids.push((payload as { delivery_id?: string | null }).delivery_id ?? '');
      }
      const runs = new Map<string, string>();
      let runCount = 0;
      for await (const { run_id, goal } of ledger.runs()) {
        runs.set(goal ?? '', run_id);
        runCount += 1;
      }
      const statuses = new Map<string, number>();
      for await (const { status } of ledger.deliveries()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return { ids, runs, runCount, statuses, verified: await ledger.verify() };
    });
    expect(found.verified.ok).toBe(true);
    expect(found.ids).toHaveLength(taken.size);
    expect(new Set(found.ids)).toEqual(new Set(taken.keys()));
    expect(found.runCount).toBe(taken.size);
    expect(new Set(found.runs.keys())).toEqual(new Set(taken.keys()));
    // A 202 says that it is stored, and no more.
    for (const [id, run] of taken) if (run !== '') expect(found.runs.get(id)).toBe(run);
    expect([...found.statuses]).toEqual([['ok', taken.size]]);
    const handled = scene.handled();
    expect(new Set(handled)).toEqual(new Set(taken.keys()));
    const repeated = handled.length - taken.size;
    const lost = senders.statuses.get(0) ?? 0;
    process.stderr.write(
      `${taken.size} requests taken, ${lost} times nobody answered; handled again after a kill: ${repeated}\n`,
    );
    expect(lost).toBeGreaterThan(0);
  });
});

describe('a handler that sleeps 100 ms', () => {
  it('does not slow other routes', async () => {
    const scene = new Scene();
    await scene.start();
    const quick = sending(scene.port, 4);
    const slow = sending(scene.port, 32);
    let n = 0;
    const round = async () => {
      const waited: number[] = [];
      const one = async () => {
        for (let i = 0; i < 100; i++) waited.push((await quick.send('/quick', `quick-${n++}`)).ms);
      };
      await Promise.all(Array.from({ length: 4 }, one));
      return waited.toSorted((a, b) => a - b)[waited.length >> 1] ?? Number.NaN;
    };
    await round();
    const ratios: number[] = [];
    for (let rounds = 0; rounds < 5; rounds++) {
      const alone = await round();
      let isOver = false;
      const slowly = Array.from({ length: 32 }, async () => {
        while (!isOver) await slow.send('/slow', `slow-${n++}`);
      });
      await slow.send('/slow', `slow-${n++}`);
      const beside = await round();
      isOver = true;
      await Promise.all(slowly);
      ratios.push(beside / alone);
    }
    const typical = ratios.toSorted((a, b) => a - b)[2] ?? Number.NaN;
    process.stderr.write(`beside 32 slow requests: ${typical.toFixed(2)} times as long as alone\n`);
    expect([...quick.statuses.keys()]).toEqual([200]);
    expect([...slow.statuses.keys()]).toEqual([200]);
    expect(typical).toBeLessThan(5);
    await scene.end('SIGTERM');
  });
});

describe('floods', () => {
  const head = 'POST /quick HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

  async function flooded() {
    const scene = new Scene();
    await scene.start();
    const senders = sending(scene.port, 1);
    expect((await senders.send('/quick', 'before')).status).toBe(200);
    const before = scene.memory;
    const stillWorks = async () => {
      expect((await senders.send('/quick', `after-${Math.random()}`)).status).toBe(200);
      expect(scene.isAlive).toBe(true);
      expect(scene.memory - before).toBeLessThan(300);
    };
    return { scene, stillWorks };
  }

  async function connections(port: number, count: number): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return sockets;
  }

  /** Writes the same over and over until the other side has had enough, `most` bytes at the longest. Gives how much. */
  async function pour(socket: Socket, chunk: Buffer, most: number): Promise<number> {
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    let sent = 0;
    while (!socket.destroyed && sent < most) {
      sent += chunk.length;
      if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    return sent;
  }

  it('of 1,000 connections that say nothing leave room, and are closed', async () => {
    const { scene, stillWorks } = await flooded();
    const idle = await connections(scene.port, 1000);
    await stillWorks();
    // Half a header each.
    for (const socket of idle) socket.write('POST /quick HTTP/1.1\r\nx-slow: ');
    await stillWorks();
    await Promise.all(idle.map((socket) => socket.closed || once(socket.resume(), 'close')));
    await stillWorks();
  });

  it('of bodies of 2 GB are cut, whether they tell their length or not', async () => {
    const { scene, stillWorks } = await flooded();
    const twoGb = 2 * 1024 ** 3;
    const piece = Buffer.alloc(64 * 1024, ' ');
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]);
    const sockets = await connections(scene.port, 20);
    const sent = await Promise.all(
      sockets.map((socket, i) => {
        const isTold = i % 2 === 0;
        socket.write(head + (isTold ? `content-length: ${twoGb}\r\n\r\n` : 'transfer-encoding: chunked\r\n\r\n'));
        return pour(socket, isTold ? piece : chunk, twoGb);
      }),
    );
    expect(Math.max(...sent)).toBeLessThan(twoGb / 4);
    await stillWorks();
  });

  it('of headers are cut', async () => {
    const { scene, stillWorks } = await flooded();
    const sockets = await connections(scene.port, 200);
    const line = Buffer.from('x-flood: 0123456789012345678901234567890123456789\r\n'.repeat(100));
    const sent = await Promise.all(
      sockets.map((socket) => {
        socket.write('POST /quick HTTP/1.1\r\n');
        return pour(socket, line, 64 * 1024 ** 2);
      }),
    );
    expect(Math.max(...sent)).toBeLessThan(16 * 1024 ** 2);
    await stillWorks();
  });
});
