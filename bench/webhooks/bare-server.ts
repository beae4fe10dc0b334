/** A process that answers requests with the same HTTP library and does nothing else than read them. Tells its port. */
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { path } from './request.ts';

const app = new Hono().post(path, async (c) => c.json((await c.req.json()) === null ? { nothing: true } : {}));
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) => {
  process.send?.(port);
});
process.once('disconnect', () => server.close());
