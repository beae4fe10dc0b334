import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openHost } from 'patchbay-host';
import { sample } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, pluginText, root } from '../../../test/project.ts';
import { cleanEnv } from './command.ts';

const source = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];

/** Runs the command, from source, while this process goes on answering. */
async function patchbay(cwd: string, ...args: string[]): Promise<{ status: number; stdout: string }> {
  const child = spawn(process.execPath, [...source, join(root, 'packages/cli/src/main.ts'), ...args], {
    cwd,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 90_000,
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const [status] = (await once(child, 'close')) as [number];
  return { status, stdout };
}

/** A project with a plugin that has each accepted turn sent to a receiver, which answers as it is told. */
async function scene() {
  const receiver = { status: 200, bodies: [] as unknown[] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const text of request.setEncoding('utf8')) body += text;
    receiver.bodies.push(JSON.parse(body));
    response.writeHead(receiver.status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = `{ url: 'http://127.0.0.1:${port}/', body: { at: process.hrtime.bigint().toString() } }`;
  const cwd = folder({
    'patchbay.yaml': `plugins: { p: { path: p.mjs, grants: ['net:127.0.0.1:${port}'] } }`,
    'p.mjs': pluginText('p', `'turn:accepted': () => ({ verdict: 'ok', send: ${send} })`),
  });
  const emit = async () => {
    const host = await openHost({ cwd, version: '0.0.0' });
    const service = await host.start();
    await service.emit('turn:accepted', { ...sample('turn:accepted'), event_id: crypto.randomUUID() });
    await service.rest();
    await host.close();
  };
  return { cwd, receiver, emit, run: (...args: string[]) => patchbay(cwd, ...args) };
}

describe('deliveries', () => {
  it('show what is being sent, when it is sent next and why it did not arrive', async () => {
    const { receiver, emit, run } = await scene();
    receiver.status = 503;
    await emit();
    const { stdout } = await run('deliveries', '--owed');
    expect(stdout).toMatch(/^1\.1 .* sending .*tried 1 times, next at \d{4}-.*Z: .* answered 503\n$/);
    const replayed = await run('deliveries', 'replay', '1.1');
    expect(replayed.stdout).toMatch(/^1\.1: sending, again at \d{4}-.*Z: .* answered 503\n$/);
    expect(replayed.status).toBe(1);
  });

  it('are sent again by a replay, or made anew', async () => {
    const { receiver, emit, run } = await scene();
    receiver.status = 404;
    await emit();
    expect((await run('deliveries', '--failed')).stdout).toMatch(/^1\.1 .* failed .* answered 404\n$/);
    receiver.status = 200;
    expect(await run('deliveries', 'replay', '1.1')).toEqual({ stdout: '1.1: ok\n', status: 0 });
    expect(await run('deliveries', 'replay', '1.1', '--evaluate')).toEqual({ stdout: '1.1: ok\n', status: 0 });
    const [first, second, third] = receiver.bodies;
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
  });
});

describe('a receiver that is gone', () => {
  it('is told by deliveries and doctor, until its plugin is enabled again', async () => {
    const { receiver, emit, run } = await scene();
    receiver.status = 410;
    await emit();
    expect((await run('deliveries')).stdout).toMatch(/\nNothing is sent for \S+ of p since \d{4}-.*: .*410\n$/);
    const ill = await run('doctor');
    expect(ill.stdout).toMatch(/!! +requests of \S+ of p +nothing is sent since .*plugin enable p/);
    expect(ill.status).toBe(1);
    expect((await run('plugin', 'enable', 'p')).stdout).toBe('Enabled p; its requests are sent again\n');
    expect((await run('doctor')).status).toBe(0);
    receiver.status = 200;
    await emit();
    expect(receiver.bodies).toHaveLength(2);
  });
});
