/**
 * A process that sends requests over 64 connections when it is told how many and to which port, and tells how long that took, in
 * milliseconds. They are signed before. It takes as long for a request as the servers do, and so is never idle.
 */
import { type Dispatcher, Pool } from 'undici';
import { signed } from './request.ts';

/** What it is told. */
export interface Order {
  readonly port: number;
  readonly count: number;
}

const connections = 64;
const pools = new Map<number, Pool>();

function poolOf(port: number): Pool {
  const known = pools.get(port) ?? new Pool(`http://127.0.0.1:${port}`, { connections });
  pools.set(port, known);
  return known;
}

/**
 * Sends one and resolves when its answer has been read. Not with `request`, which makes a stream of each answer: then the peers
 * that do nothing would wait for this process, and look slower than they are.
 */
function sendOne(pool: Pool, request: ReturnType<typeof signed>): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_, status) => {
        if (status !== 200) reject(new Error(`was answered ${status}`));
      },
      onResponseData: () => {},
      onResponseEnd: () => resolve(),
      onResponseError: (_, error) => reject(error),
    };
    pool.dispatch(request, handler);
  });
}

async function send({ port, count }: Order): Promise<number> {
  const pool = poolOf(port);
  // Shared by all connections, and in this order: ids grow with time.
  const requests = Array.from({ length: count }, signed).values();
  const start = performance.now();
  const sender = async () => {
    for (const request of requests) await sendOne(pool, request);
  };
  await Promise.all(Array.from({ length: connections }, sender));
  return performance.now() - start;
}

process.on('message', async (order: Order) => process.send?.(await send(order)));
process.once('disconnect', () => process.exit());
