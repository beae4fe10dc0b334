/**
 * A process that sends requests over 64 connections when it is told how many and to which port, and tells how long that took
 * and how long each waited, in milliseconds. They are signed before.
 */
import { Pool } from 'undici';
import { signed } from './request.ts';

/** What it is told. */
export interface Order {
  readonly port: number;
  readonly count: number;
}

/** What it tells. */
export interface Sent {
  readonly ms: number;
  readonly waited: readonly number[];
}

const connections = 64;
const pools = new Map<number, Pool>();

function poolOf(port: number): Pool {
  const known = pools.get(port) ?? new Pool(`http://127.0.0.1:${port}`, { connections });
  pools.set(port, known);
  return known;
}

async function send({ port, count }: Order): Promise<Sent> {
  const pool = poolOf(port);
  const requests = Array.from({ length: count }, signed);
  const waited: number[] = [];
  const start = performance.now();
  const sender = async () => {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      const from = performance.now();
      const answer = await pool.request(request);
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`was answered ${answer.statusCode}`);
      waited.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: connections }, sender));
  return { ms: performance.now() - start, waited };
}

process.on('message', async (order: Order) => process.send?.(await send(order)));
process.once('disconnect', () => process.exit());
