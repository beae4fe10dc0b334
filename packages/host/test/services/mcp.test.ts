import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ServiceRequest } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunState, Turn } from '../../src/runs/state.ts';
import type { Role } from '../../src/runs/template/template.ts';
import { TurnDesk } from '../../src/runs/turn-desk.ts';
import { Launcher } from '../../src/sandbox/launcher.ts';
import type { Workspace } from '../../src/workspaces/index.ts';
import { connected, ways } from './client.ts';
import { Stage, toolPlugin } from './fixture.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const double = {
  handler: ({ n }: ServiceRequest) => ({ result: { twice: 2 * Number(n) } }),
  description: 'Doubles a number',
  inputSchema: schema,
};
const failing = () => ({ error: 'not today' });
const plain = () => ({ result: 'just words' });

/** Greets the server over HTTP and over the socket, without any library; prints its names. */
const caller = `
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const { PATCHBAY_MCP_URL: url, PATCHBAY_MCP_TOKEN: token, PATCHBAY_MCP_COMMAND: command } = process.env;
const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const greeting = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: 'Bearer ' + token };
const answer = await (await fetch(url, { method: 'POST', headers, body: greeting })).text();
const [program, ...args] = JSON.parse(command);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.stdin.write(greeting + '\\n');
for await (const line of createInterface({ input: child.stdout })) {
  const named = (text) => JSON.parse(text).result.serverInfo.name;
  console.log(JSON.stringify([named(/data: (.*)/.exec(answer)[1]), named(line)]));
  break;
}
child.stdin.end();
`;

describe.each(ways)('a real client over %s, in the %s protocol', (...way) => {
  it('lists the tools with their schemas and calls them', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { double, failing, plain })] });
    const client = await connected(await stage.turn().mcp(), way);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['double', 'failing', 'plain']);
    expect(tools[0]).toMatchObject({ name: 'double', description: 'Doubles a number', inputSchema: schema });
    const answer = await client.callTool({ name: 'double', arguments: { n: 21 } });
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: '{"twice":42}' }],
      structuredContent: { twice: 42 },
    });
    expect(await client.callTool({ name: 'plain' })).toMatchObject({ content: [{ text: 'just words' }] });
    expect(await client.callTool({ name: 'failing' })).toMatchObject({
      isError: true,
      content: [{ text: 'not today' }],
    });
    const unknown = await client.callTool({ name: 'doubel', arguments: {} });
    expect(unknown).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('did you mean "double"?') }],
    });
  });

  it('is told that a call waits for a person, if it asked for that, and gets the answer then', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { double })], settings: { tier: 'human-approval' } });
    const client = await connected(await stage.turn().mcp(), way);
    const told: unknown[] = [];
    const heard = Promise.withResolvers<void>();
    const onprogress = (progress: unknown) => {
      told.push(progress);
      heard.resolve();
    };
    const called = client.callTool({ name: 'double', arguments: { n: 1 } }, { onprogress });
    const { approval_id } = await stage.waiting();
    await heard.promise;
    await stage.services.decide(approval_id, { decision: 'approved', by: 'ann', comment: null });
    expect(await called).toMatchObject({ structuredContent: { twice: 2 } });
    expect(told[0]).toMatchObject({ progress: 1, message: `a person is asked: ${approval_id}` });
  });

  it('can cancel a call: the handler is not waited for any more', async () => {
    const begun = Promise.withResolvers<void>();
    const hang = () => {
      begun.resolve();
      return new Promise<never>(() => {});
    };
    const stage = await Stage.open({ plugins: [toolPlugin('p', { hang })] });
    const client = await connected(await stage.turn().mcp(), way);
    const stop = new AbortController();
    const written = Promise.withResolvers<unknown>();
    stage.ledger.on('appended', ({ event }) => written.resolve(event.payload));
    const called = client.callTool({ name: 'hang' }, { signal: stop.signal });
    await begun.promise;
    stop.abort();
    await expect(called).rejects.toThrow();
    expect(await written.promise).toMatchObject({
      data: { tool: 'hang', ok: false, error: 'the call of tool "hang" was cancelled' },
    });
  });

  it('is cut off when the turn is over, and a call under way is ended', async () => {
    const begun = Promise.withResolvers<void>();
    const hang = () => {
      begun.resolve();
      return new Promise<never>(() => {});
    };
    const stage = await Stage.open({ plugins: [toolPlugin('p', { hang })] });
    const turn = stage.turn();
    const client = await connected(await turn.mcp(), way);
    const called = client.callTool({ name: 'hang' });
    await begun.promise;
    await turn.close();
    expect(await called).toMatchObject({ isError: true, content: [{ text: 'the call of tool "hang" was cancelled' }] });
    await expect(client.listTools({}, { timeout: 3000 })).rejects.toThrow();
  });

  it('has no way to decide on what waits', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { double })], settings: { tier: 'human-approval' } });
    const client = await connected(await stage.turn().mcp(), way);
    const called = client.callTool({ name: 'double', arguments: { n: 1 } }).catch(() => undefined);
    const { approval_id } = await stage.waiting();
    for (const name of ['approve', 'decide', 'approvals', 'patchbay_approve']) {
      const answer = await client.callTool({ name, arguments: { approval_id, decision: 'approved' } });
      expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^there is no tool/) }] });
    }
    expect(client.getServerCapabilities()).toEqual({ tools: expect.anything() });
    expect(await stage.services.pending()).toHaveLength(1);
    await stage.services.decide(approval_id, { decision: 'refused', by: 'ann', comment: 'no' });
    expect(await called).toMatchObject({
      isError: true,
      content: [{ text: 'tool "double" was not called: ann refused it: no' }],
    });
  });
});

describe('the server of a turn', () => {
  it('passes on what an MCP server answers, pictures too', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const plugin = toolPlugin('p', {
      picture: () => ({ result: [image] }),
      both: () => ({ result: { content: [image], structuredContent: { n: 1 } } }),
      list: () => ({ result: [{ type: 'other' }] }),
    });
    const stage = await Stage.open({ plugins: [plugin] });
    const client = await connected(await stage.turn().mcp(), ['HTTP', 'legacy']);
    expect((await client.callTool({ name: 'picture' })).content).toEqual([image]);
    expect(await client.callTool({ name: 'both' })).toMatchObject({ content: [image], structuredContent: { n: 1 } });
    expect((await client.callTool({ name: 'list' })).content).toEqual([{ type: 'text', text: '[{"type":"other"}]' }]);
  });

  it('is reached by programs of the turn, from where they run, by the variables they are given', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { plain })] });
    const { dir } = stage.user();
    const launcher = new Launcher({ project: stage.dir });
    onTestFinished(() => launcher.close());
    const desk = new TurnDesk(
      { project: stage.dir, launcher, env: process.env, llmProviders: async () => [], openTools: stage.services.open },
      {
        state: { run_id: 'run', goal: 'g' } as RunState,
        turn: { turn_id: 't', attempt: 1, dispatch: { goal: 'g', bundle: { path: dir } } } as Turn,
        role: { name: 'dev', writes: ['**'], timeoutMs: 60_000 } as unknown as Role,
        ws: { project: stage.dir, kind: 'worktree', root: dir, dir } as Workspace,
        dir,
        result_file: join(dir, 'result.json'),
        config: {},
        signal: new AbortController().signal,
        spent: () => {},
      },
    );
    const ended = await desk.work.exec([process.execPath, '--input-type=module', '--eval', caller]);
    expect([ended.exit_code, ended.stderr]).toEqual([0, '']);
    expect(JSON.parse(ended.stdout)).toEqual(['patchbay', 'patchbay']);
    expect(await desk.work.callTool('plain', {})).toEqual({ result: 'just words' });
    await desk.close();
    expect(existsSync(join(dir, 'mcp.sock'))).toBe(false);
    expect(await desk.work.callTool('plain', {})).toEqual({ error: 'the turn is over' });
  });

  it('listens to nobody before it is asked for, and leaves nothing behind', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { plain })] });
    const user = stage.user();
    const turn = stage.services.open(user);
    await turn.list();
    expect(readdirSync(user.dir)).toEqual([]);
    const { url, command } = await turn.mcp();
    expect(await turn.mcp()).toEqual({ url, command, token: expect.any(String) });
    expect(readdirSync(user.dir)).toEqual(['mcp.sock']);
    await turn.close();
    expect(readdirSync(user.dir)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();
    await expect(turn.mcp()).rejects.toThrow('the turn is over');
  });

  it('works where the path of the attempt is longer than that of a socket may be', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { plain })] });
    const dir = join(stage.dir, 'x'.repeat(120), 'y'.repeat(120));
    mkdirSync(dir, { recursive: true });
    const client = await connected(await stage.turn({ dir }).mcp(), ['stdio', 'legacy']);
    expect(await client.callTool({ name: 'plain' })).toMatchObject({ content: [{ text: 'just words' }] });
    expect(existsSync(join(dir, 'mcp.sock'))).toBe(true);
  });

  it('lets nobody in over HTTP without the token, by another name, or from a page', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { plain })] });
    const { url, token } = await stage.turn().mcp();
    const post = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }))
        .status;
    };
    const authorization = `Bearer ${token}`;
    expect(await post({})).toBe(401);
    expect(await post({ authorization: `Bearer ${token.slice(1)}x` })).toBe(401);
    expect(await post({ authorization, origin: 'http://localhost:3000' })).toBe(403);
    expect(await post({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await hostStatus(url, authorization, 'evil.example')).toBe(403);
    expect(await hostStatus(url, authorization, '127.0.0.1')).not.toBe(403);
  });

  it('lets nobody in over the socket who does not greet with the token', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { plain })] });
    const user = stage.user();
    await stage.services.open(user).mcp();
    const socket = connect(join(user.dir, 'mcp.sock'));
    let said = '';
    socket.on('data', (chunk) => {
      said += String(chunk);
    });
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    socket.write(`${'x'.repeat(43)}\n${list}\n`);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.on('close', resolve));
    expect(said).toBe('');
  });
});

/** The status of a request that calls the server by this name. */
async function hostStatus(url: string, authorization: string, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { host, authorization, 'content-type': 'application/json' };
  const asked = request(url, { method: 'POST', headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  asked.on('error', reject);
  asked.end('{}');
  return promise;
}
