import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { image, podman, podmanHere } from '../containers/podman-fixture.ts';
import { eventually, now, overHttp, overStdio, supervise } from './fixture.ts';

let undo: (() => void) | undefined;
beforeAll(() => {
  undo = podmanHere();
}, 120_000);
afterAll(() => undo?.());

const containers = () => podman('ps', '--all', '--format', '{{.Names}}');
afterEach(() => expect(containers()).toBe(''));

const timeout = 180_000;
// The image has no Node.js: it gets that of this machine.
const volumes = ['/usr', '/lib', '/lib64', process.cwd()].map((path) => `${path}:${path}:ro`);

it('the real podman runs a real server, which is spoken with, killed, started again and gone', {
  timeout,
}, async () => {
  const spec = { ...overStdio, type: 'docker', image, volumes };
  const { mcp, close } = await supervise({ boxed: spec }, { probeMs: 60_000 });
  expect(await mcp.call('boxed', 'echo', { message: 'hi' }, now)).toEqual({ result: 'Echo: hi' });
  expect(containers()).toMatch(/^patchbay-mcp-[0-9a-f]{8}-boxed$/);
  podman('kill', '--signal', 'KILL', containers());
  await eventually(() => expect(mcp.status()).toMatchObject([{ state: 'running', restarts: 1 }]));
  expect(await mcp.call('boxed', 'echo', { message: 'again' }, now)).toEqual({ result: 'Echo: again' });
  await close();
});

it('an image is built from its dockerfile, and two servers in it listen on the same port', { timeout }, async () => {
  const project = folder({ 'servers/Dockerfile': `FROM ${image}\nENV BUILT=yes\n` });
  const spec = {
    ...overHttp,
    type: 'docker',
    image: 'localhost/built:1',
    dockerfile: 'servers/Dockerfile',
    volumes,
    port: 3000,
  };
  const { mcp, close } = await supervise({ s: { ...spec, a: {}, b: {} } }, { project, probeMs: 60_000 });
  for (const name of ['s.a', 's.b']) {
    const { result } = (await mcp.call(name, 'get-env', {}, now)) as { result: string };
    expect(JSON.parse(result)).toMatchObject({ BUILT: 'yes', PORT: '3000' });
  }
  const ports = mcp.status().map(({ port }) => port);
  expect(new Set(ports).size).toBe(2);
  expect(podman('ps', '--format', '{{.Ports}}').split('\n').sort()).toEqual(
    ports.map((port) => `127.0.0.1:${port}->3000/tcp`).sort(),
  );
  await close();
});

it('a host that is killed leaves no container running', { timeout }, async () => {
  const settings = { boxed: { ...overStdio, type: 'docker', image, volumes } };
  const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
  const args = [...flags, join(import.meta.dirname, 'host.fixture.ts'), folder(), JSON.stringify(settings)];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void host.kill('SIGKILL'));
  const [line] = await once(host.stdout.setEncoding('utf8'), 'data');
  expect(JSON.parse(line)).toMatchObject([{ state: 'running' }]);
  expect(containers()).not.toBe('');
  host.kill('SIGKILL');
  await eventually(() => expect(containers()).toBe(''));
});
