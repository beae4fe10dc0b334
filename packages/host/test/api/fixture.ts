import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { scriptCore } from 'plugin-cores';
import { expect, onTestFinished, vi } from 'vitest';
import { Stage, type Staging } from '../../../../test/flows/stage.ts';
import type { Limits } from '../../src/api/index.ts';
import { base, documentOf } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import { openHost } from '../../src/host.ts';

/** What a request came to. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  readonly body: any;
}

interface Operation {
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}

const document = documentOf(routes) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: { Error: object } };
};
const ajv = new Ajv2020({ strict: false });
const validators = new Map<object, ValidateFunction>();

function mustFit(schema: object, body: unknown): void {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  expect([validate(body), validate.errors]).toEqual([true, null]);
}

/** What the document says an answer looks like. Errors look alike everywhere. */
function schemaOf(method: string, path: string, status: number): object | undefined {
  if (status >= 400) return document.components.schemas.Error;
  const known = Object.keys(document.paths).find((one) =>
    new RegExp(`^${one.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return document.paths[known ?? '']?.[method.toLowerCase()]?.responses[status]?.content['application/json']?.schema;
}

/** How a request differs from one that is as it should be. */
export interface Asking {
  readonly body?: unknown;
  /** As it is sent, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without a token. */
  readonly anonymous?: boolean;
}

/** A project whose host serves, on free ports, until the end of the test. */
export class Serving {
  readonly stage: Stage;
  readonly api: string;
  readonly webhooks: string;
  readonly token: string;
  readonly close: () => Promise<void>;

  private constructor(
    stage: Stage,
    at: { api: string; webhooks: string; tokenFile: string },
    close: () => Promise<void>,
  ) {
    this.stage = stage;
    this.api = at.api;
    this.webhooks = at.webhooks;
    this.token = readFileSync(at.tokenFile, 'utf8').trim();
    this.close = close;
  }

  static async start(
    flow: string | Stage,
    { limits = {}, ...staging }: Staging & { limits?: Partial<Limits> } = {},
  ): Promise<Serving> {
    const stage = typeof flow === 'string' ? new Stage(flow, staging) : flow;
    const host = await openHost({ cwd: stage.dir, version: '0.0.0', builtins: [scriptCore] });
    onTestFinished(() => host.close());
    const served = await host.serve({ port: 0, webhookPort: 0, limits });
    return new Serving(stage, served, () => host.close());
  }

  get port(): number {
    return Number(new URL(this.api).port);
  }

  /** Asks something of the API. The answer is what the document says. */
  async ask(
    method: string,
    path: string,
    { body, raw, headers = {}, anonymous = false }: Asking = {},
  ): Promise<Answer> {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.api + base + path, {
      method,
      headers: {
        ...(anonymous ? {} : { authorization: `Bearer ${this.token}` }),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer: unknown = method === 'HEAD' ? undefined : await response.json();
    const schema = schemaOf(method, path.split('?')[0] ?? '', response.status);
    if (schema !== undefined && answer !== undefined) mustFit(schema, answer);
    return { status: response.status, headers: response.headers, body: answer };
  }

  get(path: string, asking: Asking = {}): Promise<Answer> {
    return this.ask('GET', path, asking);
  }

  post(path: string, body?: unknown, asking: Asking = {}): Promise<Answer> {
    return this.ask('POST', path, { ...asking, body });
  }

  /** Begins the run of the flow; gives its id. */
  async begin(goal = 'Make it work'): Promise<string> {
    const { status, body } = await this.post('/runs', { template: 'flow', goal, by: 'pat' });
    expect(status).toBe(202);
    return body.run_id as string;
  }

  /** Waits until a run has a status; gives how it stands. */
  async becomes(run_id: string, status: string): Promise<Answer['body']> {
    let run: Answer['body'];
    await soon(async () => {
      run = (await this.get(`/runs/${run_id}`)).body;
      expect(run.status).toBe(status);
    });
    return run;
  }

  /** A connection on which a test says what it wants. */
  socket(): Socket {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  }

  /** Sends bytes as they are, and gives all that comes back until the other side ends it. */
  async raw(...lines: string[]): Promise<string> {
    const socket = this.socket();
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return textOf(socket);
  }
}

/** Waits until something holds. */
export function soon(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { timeout: 60_000, interval: 50 });
}

/** All that comes on a connection. */
export async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}
