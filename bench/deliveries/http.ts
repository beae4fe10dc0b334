import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { callHttp, HttpClient } from '../../packages/host/src/outbound/http.ts';
import { accepted } from './project.ts';
import { sideBySide, type Taken } from './side-by-side.ts';

/** So many calls, one after the other, are measured at a time: one alone is too short. */
const calls = 25;

/** An HTTP handler (`ours`) beside a request of the same body on the same pool, and beside Node's own fetch. */
export async function beside(rounds: number): Promise<Taken> {
  const server = fork(join(import.meta.dirname, 'answering-server.ts'), { execArgv: process.execArgv });
  const client = new HttpClient();
  try {
    const [port] = await once(server, 'message');
    const url = new URL(`http://127.0.0.1:${port}/hook`);
    const plugin = { name: 'x', grants: ['net:127.0.0.1'] };
    const handler = { type: 'http', event: 'turn:accepted', url: url.href, headers: {}, timeoutMs: 10_000 } as const;
    const headers = new Map([
      ['content-type', 'application/json'],
      ['user-agent', 'patchbay'],
      ['idempotency-key', 'x'],
    ]);
    const repeated = (call: () => Promise<unknown>) => async () => {
      const start = performance.now();
      for (let i = 0; i < calls; i++) await call();
      return (performance.now() - start) / calls;
    };
    return await sideBySide(
      {
        request: repeated(async () => {
          const { signal } = new AbortController();
          const { body } = await client.post(plugin, url, { headers, body: JSON.stringify(accepted()), signal });
          return JSON.parse(await body.text());
        }),
        fetch: repeated(async () => {
          const answer = await fetch(url, { method: 'POST', headers: [...headers], body: JSON.stringify(accepted()) });
          return answer.json();
        }),
        ours: repeated(async () => {
          const { status, message } = await callHttp(handler, {
            client,
            plugin,
            env: {},
            payload: accepted(),
            key: 'x',
          });
          if (status !== 'ok') throw new Error(`the call failed: ${message}`);
        }),
      },
      rounds,
      10,
    );
  } finally {
    server.kill();
    await client.close();
  }
}
