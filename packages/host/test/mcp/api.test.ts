import { expect, it, onTestFinished } from 'vitest';
import { startApi } from '../../src/api/index.ts';
import type { ApiParts } from '../../src/api/route.ts';
import type { McpSupervisor } from '../../src/mcp/index.ts';
import { overStdio, supervise } from './fixture.ts';

async function serving(mcp?: McpSupervisor) {
  // Of all that routes work with, these need only the servers.
  const parts = { service: {}, webhooks: [], mcp } as unknown as ApiParts;
  const api = await startApi(parts, { port: 0, token: 'token' });
  onTestFinished(() => api.close());
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${api.url}/api/v1/mcp${path}`, {
      method,
      headers: { authorization: 'Bearer token', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
    return { status: answer.status, body: (await answer.json()) as any };
  };
}

it('servers are listed, started, called, read and stopped through the API', async () => {
  const { mcp } = await supervise({ real: overStdio });
  const ask = await serving(mcp);
  expect(await ask('GET', '')).toMatchObject({ status: 200, body: { items: [{ name: 'real', state: 'stopped' }] } });
  expect(await ask('POST', '/real/start')).toMatchObject({ status: 200, body: { state: 'running' } });
  const { body } = await ask('GET', '/real/tools');
  expect(body.items).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'echo' })]));
  expect(await ask('POST', '/real/call', { tool: 'echo', input: { message: 'hi' } })).toEqual({
    status: 200,
    body: { result: 'Echo: hi' },
  });
  expect(await ask('POST', '/real/call', { tool: 'nope' })).toMatchObject({
    status: 200,
    body: { error: expect.stringContaining('nope') },
  });
  expect(await ask('POST', '/real/stop')).toMatchObject({ status: 200, body: { state: 'stopped', pid: null } });
  const { body: log } = await ask('GET', '/real/log?lines=3');
  expect(log.lines.length).toBe(3);
  expect(log.lines.join('\n')).toContain('is stopped');
});

it('a server that there is not is not found', async () => {
  const { mcp } = await supervise({ real: overStdio });
  const ask = await serving(mcp);
  expect(await ask('POST', '/reel/start')).toMatchObject({
    status: 404,
    body: { error: { code: 'MCP_UNKNOWN', message: 'there is no MCP server "reel": did you mean "real"?' } },
  });
  expect(await ask('POST', '/..%2Fx/start')).toMatchObject({
    status: 400,
    body: { error: { code: 'REQUEST_INVALID' } },
  });
});

it('a host without servers has none to show', async () => {
  const ask = await serving();
  expect(await ask('GET', '')).toEqual({ status: 200, body: { items: [] } });
  expect(await ask('POST', '/real/start')).toMatchObject({ status: 404, body: { error: { code: 'REQUEST_UNKNOWN' } } });
});
