import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { podman as runtime } from 'plugin-runtimes';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { projectPrefix } from '../../src/containers/names.ts';
import { eventually, nap, running } from '../sandbox/fixture.ts';
import { Den, greeter } from './fixture.ts';
import { image, podman, podmanHere } from './podman-fixture.ts';

const settings = { runtime: 'podman', image };

let undo = () => {};
beforeAll(() => {
  undo = podmanHere();
});
afterAll(() => undo());
afterEach(() => void podman('rm', '--all', '--force', '--time', '0'));

const isReady = (den: Den) => eventually(() => expect(existsSync(join(den.workspace, 'ready'))).toBe(true));

it('is available where it answers', async () => {
  expect(await runtime.isAvailable()).toBe(true);
  await runtime.ensureRunning();
});

it('a program of an image works in the workspace, at the same path and at /workspace/group', async () => {
  const den = await Den.open(settings);
  expect(await den.containers.start()).toBe('podman');
  const script =
    'pwd; cat note.txt; cat; echo done > out.txt; echo $FROM_IMAGE; ls /workspace/group; echo oops >&2; exit 3';
  const end = await den.run(['sh', '-c', script], { job: { stdin: 'typed\n' } });
  expect(end).toMatchObject({ exitCode: 3, signal: null });
  expect(end.stdout.text).toBe(`${den.workspace}\na note\ntyped\nyes\nnote.txt\nout.txt\n`);
  expect(end.stderr.text).toBe('oops\n');
  expect(readFileSync(join(den.workspace, 'out.txt'), 'utf8')).toBe('done\n');
  expect(podman('ps', '--all', '--quiet')).toBe('');
});

it('an image that is not here is not fetched, and the error says so', async () => {
  const den = await Den.open({ ...settings, image: 'localhost/no-such:1' });
  const end = await den.run(['true']);
  expect(end.exitCode).toBe(125);
  expect(end.stderr.text).toMatch(/no-such/);
});

it('without an image the error says where to name one', async () => {
  const den = await Den.open({ runtime: 'podman' });
  await expect(den.run(['true'])).rejects.toThrow(/runs images, and none is named.*container: \{ image: NAME \}/);
});

it('mounts are there, those that are read-only cannot be written to, and what the host protects is protected', async () => {
  const den = await Den.open(settings);
  den.put('data/in/a.txt', 'A');
  const mounts = [{ from: 'data/in', to: '/data/in', readOnly: true }];
  expect(await den.sh('cat /data/in/a.txt', { container: { mounts } })).toBe('A');
  await expect(den.sh('echo x > /data/in/a.txt', { container: { mounts } })).rejects.toThrow(/Read-only/);
  await expect(den.sh(`echo x > ${den.attempt}/bundle/goal.md`)).rejects.toThrow(/Read-only/);
  expect(await den.sh(`cat ${den.project}/.patchbay/api-token | wc -c`)).toBe('0');
  expect(await den.sh(`ls ${den.project}/workspaces`)).toBe('den');
});

it('a container without a network reaches nobody, not even the host; with that of the host it does', async () => {
  const den = await Den.open(settings);
  const port = await greeter();
  const ask = `nc -w 2 127.0.0.1 ${port} < /dev/null`;
  expect(await den.sh(ask, { container: { network: 'host' } })).toBe('hello');
  await expect(den.sh(ask, { container: { network: 'none' } })).rejects.toThrow();
});

it('a program sees the variables it was given, those of the image, and none of the host; no list of processes shows them', async () => {
  const den = await Den.open(settings);
  const secret = `s3cret-${nap()}`;
  const seconds = nap();
  const env = { PATH: process.env['PATH'] ?? '', TOKEN: secret, LANG: 'C' };
  const seen = await den.sh('env | cut -d= -f1 | sort', { job: { env } });
  expect(seen.split('\n')).toEqual(
    ['FROM_IMAGE', 'HOME', 'HOSTNAME', 'LANG', 'PATH', 'PWD', 'SHLVL', 'TERM', 'TOKEN', 'container'].sort(),
  );
  expect(await den.sh('echo $TOKEN', { job: { env } })).toBe(secret);
  const stop = new AbortController();
  const line = `echo > ready; sleep ${seconds}`;
  const napping = den.run(['sh', '-c', line], { job: { env, graceMs: 100 }, signal: stop.signal });
  await isReady(den);
  expect(running(seconds).length).toBeGreaterThan(0);
  expect(running(secret)).toEqual([]);
  stop.abort();
  await napping;
});

it('processes are limited', async () => {
  const den = await Den.open(settings);
  const many = 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 2 & done; wait; echo all';
  expect(await den.sh(many, { container: { pids: 100 } })).toBe('all');
  const end = await den.run(['sh', '-c', many], { container: { pids: 5 } });
  expect(end.stdout.text).toBe('');
  expect(end.stderr.text).toMatch(/fork/);
});

it('memory is limited', async () => {
  const den = await Den.open(settings);
  const take = 'x=$(cat /dev/zero | tr "\\0" a | busybox head -c 100000000); echo ${#x}';
  expect(await den.sh(take, { container: { memoryMb: 1000 } })).toBe('100000000');
  expect((await den.run(['sh', '-c', take], { container: { memoryMb: 32 } })).stdout.text).not.toContain('100000000');
});

it('one that is stopped is gone, even if it heeds nothing', async () => {
  const den = await Den.open(settings);
  const seconds = nap();
  const stop = new AbortController();
  const end = den.run(['sh', '-c', `trap '' TERM; echo > ready; sleep ${seconds}; sleep ${seconds}`], {
    job: { graceMs: 200 },
    signal: stop.signal,
  });
  await isReady(den);
  stop.abort();
  expect(await end).toMatchObject({ aborted: true });
  expect(running(seconds)).toEqual([]);
  expect(podman('ps', '--all', '--quiet')).toBe('');
});

it('running ones are listed by the beginning of their names, and nothing else is', async () => {
  const den = await Den.open(settings);
  const prefix = projectPrefix(den.project);
  podman('run', '--detach', '--network', 'none', '--name', `x-${prefix}1`, image, 'sleep', nap());
  podman('run', '--detach', '--network', 'none', '--name', `${prefix}1-1-1`, image, 'sleep', nap());
  podman('create', '--network', 'none', '--name', `${prefix}1-1-2`, image, 'true');
  expect(await runtime.listRunningContainers(prefix)).toEqual([`${prefix}1-1-1`]);
  expect(await runtime.listRunningContainers('')).toHaveLength(2);
  await runtime.remove?.(`${prefix}1-1-1`);
  await runtime.remove?.(`${prefix}1-1-1`);
  expect(await runtime.listRunningContainers(prefix)).toEqual([]);
});

it('labels tell of project, workspace and run', async () => {
  const den = await Den.open(settings);
  const seconds = nap();
  const stop = new AbortController();
  const line = `echo > ready; sleep ${seconds}`;
  const end = den.run(['sh', '-c', line], { job: { graceMs: 100 }, signal: stop.signal });
  await isReady(den);
  const names = podman('ps', '--filter', `label=patchbay.project=${den.project}`, '--format', '{{.Names}} {{.Labels}}');
  expect(names).toContain('patchbay.workspace:den');
  expect(names).toContain('patchbay.run:r1/t1');
  stop.abort();
  await end;
});

it('one that is stopped before it has begun is gone too', async () => {
  const den = await Den.open(settings);
  const seconds = nap();
  const stop = new AbortController();
  const end = den.run(['sleep', seconds], { job: { graceMs: 50 }, signal: stop.signal });
  await eventually(() => expect(running(seconds).length).toBeGreaterThan(0));
  stop.abort();
  await end;
  expect(podman('ps', '--quiet')).toBe('');
  await eventually(() => expect(running(seconds)).toEqual([]));
});

it('what an agent has the loader of programs do is not done by podman', async () => {
  const den = await Den.open(settings);
  const env = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(den.workspace, 'loaded') };
  expect(await den.sh('echo $LD_DEBUG', { job: { env } })).toBe('files');
  expect(readdirSync(den.workspace)).toEqual(['note.txt']);
});
