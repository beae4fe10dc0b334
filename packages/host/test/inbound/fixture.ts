import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { definePlugin, type Payload, type Webhook } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { findProject } from '../../src/config/project.ts';
import { openHost } from '../../src/host.ts';
import type { Peers } from '../../src/hosts/peers.ts';
import { type InboundLimits, startInbound } from '../../src/inbound/index.ts';
import type { BeginRun } from '../../src/inbound/run-starts.ts';
import type { Delivery, StoredEvent } from '../../src/ledger/index.ts';

/** What the route of a plugin in a test is made with. */
export type MakeRoutes = (context: Payload<'webhooks'>) => Webhook[];

interface Options {
  readonly dir?: string;
  readonly limits?: Partial<InboundLimits>;
  readonly host?: string;
  readonly begin?: BeginRun;
  /** The database of the ledger. */
  readonly database?: string;
  readonly peers?: Peers;
}

/** A plugin with routes. */
export function routing(name: string, make: MakeRoutes) {
  return definePlugin({ name, version: '1.0.0', provides: { webhooks: (context) => make(context) } });
}

/** A host in a project of its own, or in a folder with one, that serves webhooks until the test is over, or `stop`. */
export async function serving(plugins: Readonly<Record<string, MakeRoutes>>, options: Options = {}) {
  const { dir = folder({ 'patchbay.yaml': '' }), limits = {}, host: address = '127.0.0.1' } = options;
  const { database, peers } = options;
  const env = { ...process.env, ...(database === undefined ? {} : { PATCHBAY_DATABASE_URL: database }) };
  const host = await openHost({ cwd: dir, version: '0.0.0', env });
  for (const [name, make] of Object.entries(plugins)) host.load(routing(name, make));
  const service = await host.start();
  const project = findProject(dir);
  if (project === undefined) throw new Error('there is no project');
  const request: BeginRun = async ({ input = '' }, run_id, by) => {
    await service.ledger.requestRun({ run_id, template: 'x', goal: input, by });
    return run_id;
  };
  const begin = options.begin ?? request;
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await inbound?.close();
    await host.close();
  };
  onTestFinished(stop);
  let inbound: Awaited<ReturnType<typeof startInbound>> | undefined;
  const others = peers === undefined ? {} : { peers };
  const parts = { kernel: host.kernel, service, project, begin, ...others };
  inbound = await startInbound({ ...parts, host: address, port: 0, limits });
  const { port } = inbound;
  const { ledger } = service;
  return {
    dir,
    host,
    service,
    ledger,
    port,
    inbound,
    stop,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    post: (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    raw: (text: string | Buffer, options: { end?: boolean } = {}) => rawly(port, text, options),
    received: () => gathered<StoredEvent>(ledger.events({ type: 'webhook:received' })),
    deliveries: () => gathered<Delivery>(ledger.deliveries({ event: 'webhook:received' })),
    runs: () => gathered(ledger.runs()),
  };
}

async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Sends bytes over a connection and gives all that comes back until the server closes it. */
export function rawly(port: number, text: string | Buffer, { end = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text);
      if (end) socket.end();
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(answer));
  });
}

/** The status and the code of the error of an answer as it came over a connection. */
export function refusalOf(answer: string): [status: number, code: unknown] {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return [Number(head.split(' ')[1]), (JSON.parse(body) as { error: { code: unknown } }).error.code];
}

/** The same of an answer of `fetch`. */
export async function refused(answer: Response): Promise<[status: number, code: unknown]> {
  const { error } = (await answer.json()) as { error: { code: unknown; message: unknown } };
  if (typeof error.message !== 'string') throw new Error('it does not say why');
  return [answer.status, error.code];
}

/** A route that answers what it got. */
export const echo =
  (path = '/echo', proof?: Webhook['proof']): MakeRoutes =>
  () => [{ path, ...(proof === undefined ? {} : { proof }), handle: (request) => ({ body: { ...request } }) }];

export const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
export const nowS = (offset = 0) => String(Math.floor(Date.now() / 1000) + offset);
