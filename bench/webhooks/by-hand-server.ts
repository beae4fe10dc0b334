/**
 * A process that does the least by hand: the same HTTP library, the signature by `node:crypto`, one row in one table of `node:sqlite`
 * at the same durability, written together with those that wait. It owes nothing, chains nothing, and hands nothing on. Tells its
 * port. Argument: a folder; without one it stores nothing.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { key, path } from './request.ts';

interface Waiting {
  readonly id: string;
  readonly body: string;
  readonly resolve: () => void;
}

const [dir] = process.argv.slice(2);
// Made once: to make it of bytes for each request takes longer than the digest.
const secretKey = createSecretKey(key);
const db = new DatabaseSync(dir === undefined ? ':memory:' : join(dir, 'by-hand.db'));
db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
db.exec('PRAGMA wal_autocheckpoint = 2000');
db.exec('CREATE TABLE requests (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT');
const insert = db.prepare('INSERT INTO requests (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
/** As ours does: who comes while others come is waited for, and a while longer. */
const [enough, quietTurns] = [64, 32];
let waiting: Waiting[] = [];

function gather(seen: number, quiet: number): void {
  const count = waiting.length;
  if (count < enough && (count > seen || quiet < quietTurns)) {
    setImmediate(() => gather(count, count > seen ? 0 : quiet + 1));
    return;
  }
  const all = waiting;
  waiting = [];
  db.exec('BEGIN IMMEDIATE');
  for (const { id, body } of all) insert.run(id, body);
  db.exec('COMMIT');
  for (const { resolve } of all) resolve();
}

const app = new Hono().post(path, async (c) => {
  const id = c.req.header('webhook-id') ?? '';
  const body = await c.req.text();
  const signed = `${id}.${c.req.header('webhook-timestamp')}.${body}`;
  const right = Buffer.from(`v1,${createHmac('sha256', secretKey).update(signed).digest('base64')}`);
  const given = Buffer.from(c.req.header('webhook-signature') ?? '');
  if (right.length !== given.length || !timingSafeEqual(right, given)) return c.json({}, 401);
  JSON.parse(body);
  if (dir === undefined) return c.json({});
  await new Promise<void>((resolve) => {
    if (waiting.length === 0) setImmediate(() => gather(0, 0));
    waiting.push({ id, body, resolve });
  });
  return c.json({});
});
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) => {
  process.send?.(port);
});
process.once('disconnect', () => {
  server.close();
  db.close();
});
