import { expect, it } from 'vitest';
import { eventually, everything, now, overHttp, overStdio, running, supervise } from './fixture.ts';

const sse = { command: process.execPath, args: [everything, 'sse'], transport: 'sse' };

for (const [transport, spec] of Object.entries({ stdio: overStdio, 'streamable HTTP': overHttp, SSE: sse })) {
  it(`a real server over ${transport} is started when its tools are asked for, and called`, async () => {
    const mark = `MARK-${transport}-${process.pid}-${Date.now()}`;
    const { mcp, close } = await supervise({ real: { ...spec, env: { MARK: mark } } });
    expect(mcp.status()).toMatchObject([{ name: 'real', state: 'stopped', pid: null, restarts: 0 }]);
    expect(running(mark)).toEqual([]);
    const tools = await mcp.list('home');
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({
      server: 'real',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
    });
    const [status] = mcp.status();
    expect(status).toMatchObject({ state: 'running', restarts: 0, last_error: null });
    expect(running(mark)).toContain(status?.pid);
    expect(await mcp.call('real', 'echo', { message: 'hi' }, now)).toEqual({ result: 'Echo: hi' });
    expect(await mcp.call('real', 'get-sum', { a: 2, b: 'x' }, now)).toMatchObject({ error: expect.any(String) });
    await close();
    expect(running(mark)).toEqual([]);
  });

  it(`a real server over ${transport} that is killed is started again, and answers`, async () => {
    const { mcp } = await supervise({ real: spec });
    expect(await mcp.call('real', 'echo', { message: '1' }, now)).toEqual({ result: 'Echo: 1' });
    const pid = mcp.status()[0]?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    const again = await eventually(() => {
      const [status] = mcp.status();
      expect(status).toMatchObject({ state: 'running', restarts: 1, last_error: expect.stringContaining('SIGKILL') });
      return status;
    });
    expect(again?.pid).not.toBe(pid);
    expect(await mcp.call('real', 'echo', { message: '2' }, now)).toEqual({ result: 'Echo: 2' });
  });

  it(`a real server over ${transport} that nobody asks for anything is stopped, and started when somebody does`, async () => {
    const { mcp } = await supervise({ real: { ...spec, idle_timeout: 0.3 } });
    expect(await mcp.call('real', 'echo', { message: '1' }, now)).toEqual({ result: 'Echo: 1' });
    await eventually(() => expect(mcp.status()).toMatchObject([{ state: 'stopped', pid: null, restarts: 0 }]));
    expect(await mcp.call('real', 'echo', { message: '2' }, now)).toEqual({ result: 'Echo: 2' });
    expect(mcp.status()).toMatchObject([{ state: 'running', restarts: 0, last_error: null }]);
  });
}

it('a server is not stopped while a call takes longer than it may be idle', async () => {
  const { mcp } = await supervise({ real: { ...overStdio, idle_timeout: 0.2 } });
  const long = await mcp.call('real', 'trigger-long-running-operation', { duration: 1, steps: 2 }, now);
  expect(long).toEqual({ result: expect.stringContaining('completed') });
  expect(mcp.status()).toMatchObject([{ restarts: 0, last_error: null }]);
});

it('a server whose idle_timeout is 0 is never stopped by itself, and says since when it is idle', async () => {
  const { mcp } = await supervise({ real: { ...overStdio, idle_timeout: 0 } });
  await mcp.list('home');
  expect(mcp.status()).toMatchObject([{ state: 'running', idle_since: expect.any(String) }]);
});
