import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bubblewrap } from 'plugin-runtimes';
import { expect, it, onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { projectPrefix } from '../../src/containers/names.ts';
import { eventually, nap, running } from '../sandbox/fixture.ts';
import { Den, greeter } from './fixture.ts';
import { builtins } from './settings.ts';

it('is what programs run in where nothing is said and it works', async () => {
  const den = await Den.open();
  expect(await den.containers.start()).toBe('bubblewrap');
});

it('a program works in its workspace, at the same path, and its words and exit code come back', async () => {
  const den = await Den.open();
  const script = 'pwd; cat note.txt; cat; echo done > out.txt; echo oops >&2; exit 3';
  const end = await den.run(['sh', '-c', script], { job: { stdin: 'typed\n' } });
  expect(end).toMatchObject({ exitCode: 3, signal: null });
  expect(end.stdout.text).toBe(`${den.workspace}\na note\ntyped\n`);
  expect(end.stderr.text).toBe('oops\n');
  expect(readFileSync(join(den.workspace, 'out.txt'), 'utf8')).toBe('done\n');
});

it('a program that is not there is an error that says so', async () => {
  const den = await Den.open();
  await expect(den.run(['no-such-program'])).rejects.toThrow(/no-such-program/);
});

it('nothing of the host is there but the system, the workspace and what the turn was given', async () => {
  const den = await Den.open();
  expect(await den.sh(`ls -A ${den.project} ${den.project}/workspaces`)).toBe(
    `${den.project}:\n.patchbay\nworkspaces\n\n${den.project}/workspaces:\nden`,
  );
  expect(await den.sh(`ls -A ${den.project}/.patchbay "$HOME" /tmp | grep -v patchbay-test`)).not.toMatch(/ledger|ssh/);
  await expect(den.sh('touch /usr/x')).rejects.toThrow(/Read-only/);
  expect(await den.sh('cat /etc/shadow | wc -c')).toBe('0');
  expect(Number(await den.sh('ls /proc | grep -c "^[0-9]"'))).toBeLessThan(10);
});

it('what the host protects stays protected: the bundle, its token, and all that it obeys inside a workspace', async () => {
  const den = await Den.open();
  const token = join(den.project, '.patchbay/api-token');
  await den.sh(`echo '{}' > ${den.attempt}/result.json`);
  expect(readFileSync(join(den.attempt, 'result.json'), 'utf8')).toBe('{}\n');
  await expect(den.sh(`echo x > ${den.attempt}/bundle/goal.md`)).rejects.toThrow(/Read-only/);
  expect(await den.sh(`cat ${token} | wc -c`)).toBe('0');
  // A workspace that is the project itself.
  const whole = { job: { cwd: den.project } };
  await den.sh('echo 1 > agent.mjs', whole);
  await expect(den.sh('echo x > patchbay.yaml', whole)).rejects.toThrow(/Read-only/);
  await expect(den.sh('echo x > .patchbay/ledger.db', whole)).rejects.toThrow(/Read-only/);
  await expect(den.sh('rm -rf .patchbay/ledger.db', whole)).rejects.toThrow(/Read-only/);
  await expect(den.sh('mv .patchbay elsewhere', whole)).rejects.toThrow(/busy|Read-only/);
  await expect(den.sh('umount .patchbay', whole)).rejects.toThrow();
  expect(await den.sh('cat .patchbay/api-token | wc -c', whole)).toBe('0');
});

it('configured mounts are there, those that are read-only cannot be written to', async () => {
  const den = await Den.open();
  den.put('data/in/a.txt', 'A');
  den.put('data/out/.keep', '');
  const mounts = [
    { from: 'data/in', to: '/data/in', readOnly: true },
    { from: join(den.project, 'data/out'), to: '/data/out', readOnly: false },
  ];
  expect(await den.sh('cat /data/in/a.txt; echo B > /data/out/b.txt', { container: { mounts } })).toBe('A');
  expect(readFileSync(join(den.project, 'data/out/b.txt'), 'utf8')).toBe('B\n');
  await expect(den.sh('echo x > /data/in/a.txt', { container: { mounts } })).rejects.toThrow(/Read-only/);
});

it('a workspace without a network reaches nobody, not even the host; with that of the host it does', async () => {
  const den = await Den.open();
  const port = await greeter();
  const ask = ['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`];
  expect((await den.run(ask, { container: { network: 'host' } })).stdout.text).toBe('hello');
  const alone = await den.run(ask, { container: { network: 'none' } });
  expect(alone.exitCode).not.toBe(0);
  expect(alone.stdout.text).toBe('');
  expect(
    await den.sh('cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " "', { container: { network: 'none' } }),
  ).toBe('lo');
});

it('a program sees the variables it was given and no others, and no list of processes shows them', async () => {
  const den = await Den.open();
  const secret = `s3cret-${nap()}`;
  const seconds = nap();
  const env = { PATH: process.env['PATH'] ?? '', TOKEN: secret, LINES2: 'a\nb' };
  expect((await den.sh('env | cut -d= -f1 | sort', { job: { env } })).split('\n')).toEqual(
    ['LINES2', 'PATCHBAY_CONTAINER', 'PATH', 'PWD', 'TMPDIR', 'TOKEN', 'b', '_'].filter((name) => name !== '_').sort(),
  );
  const stop = new AbortController();
  const napping = den.run(['sleep', seconds], { job: { env, graceMs: 100 }, signal: stop.signal });
  await eventually(() => expect(running(seconds).length).toBeGreaterThan(0));
  expect(running(secret)).toEqual([]);
  stop.abort();
  await napping;
});

it('memory of a process is limited, and Node.js runs all the same', async () => {
  const den = await Den.open();
  const node = [process.execPath, '-e'];
  const container = { memoryMb: 200 };
  const take = (mb: number) =>
    `const all=[];for(let i=0;i<${mb};i++)all.push(Buffer.alloc(1<<20,1));console.log('had')`;
  expect((await den.run([...node, take(50)], { container })).stdout.text).toBe('had\n');
  const greedy = await den.run([...node, take(900)], { container });
  expect(greedy.stdout.text).toBe('');
  expect(greedy.exitCode).not.toBe(0);
});

it('limits that are not kept here are told once', async () => {
  const den = await Den.open();
  const container = { cpus: 1, memoryMb: 500, pids: 50 };
  await den.run(['true'], { container });
  await den.run(['true'], { container });
  const kept = await bubblewrap.limits?.();
  const lost = (['cpus', 'memoryMb', 'pids'] as const).filter((limit) => kept?.[limit] === false);
  expect(lost).toContain('cpus');
  expect(den.logged).toEqual([
    `workspace "den": runtime "bubblewrap" does not keep ${lost.join(', ')} on this machine`,
  ]);
});

it('running ones are listed by the beginning of their names, and nothing else is', async () => {
  const den = await Den.open();
  const seconds = nap();
  const prefix = projectPrefix(den.project);
  const stop = new AbortController();
  const end = den.run(['sleep', seconds], { signal: stop.signal });
  await eventually(() => expect(running(seconds).length).toBeGreaterThan(0));
  const listed = await bubblewrap.listRunningContainers(prefix);
  expect(listed).toEqual([expect.stringMatching(new RegExp(`^${prefix}${process.pid}-\\d+-1$`))]);
  expect(await bubblewrap.listRunningContainers(`${prefix}x`)).toEqual([]);
  expect(await bubblewrap.listRunningContainers('')).toContain(listed[0]);
  stop.abort();
  await end;
  expect(await bubblewrap.listRunningContainers(prefix)).toEqual([]);
});

it('one that is stopped may take leave, and is gone with all it started', async () => {
  const den = await Den.open();
  const seconds = nap();
  const stop = new AbortController();
  const line = `trap 'echo bye > ${den.workspace}/bye; exit 0' TERM; setsid sleep ${seconds} & echo ready > ready; wait`;
  const end = den.run(['bash', '-c', line], { signal: stop.signal });
  await eventually(() => expect(existsSync(join(den.workspace, 'ready'))).toBe(true));
  stop.abort();
  expect(await end).toMatchObject({ aborted: true });
  expect(existsSync(join(den.workspace, 'bye'))).toBe(true);
  expect(running(seconds)).toEqual([]);
});

it('one that is removed by its name is gone; to remove one that is gone is no failure', async () => {
  const den = await Den.open();
  const seconds = nap();
  const end = den.run(['sleep', seconds]);
  await eventually(() => expect(running(seconds).length).toBeGreaterThan(0));
  const [name = ''] = await bubblewrap.listRunningContainers(projectPrefix(den.project));
  await bubblewrap.remove?.(name);
  await bubblewrap.remove?.(name);
  expect(running(seconds)).toEqual([]);
  await end.catch(() => undefined);
});

it('a program of the PATH of the host outside the system is there; what a job says is its PATH shows it nothing', async () => {
  const bin = join(folder({ 'bin/greet': '#!/bin/sh\necho hi\n', 'keys/key': 'a secret' }), 'bin');
  chmodSync(join(bin, 'greet'), 0o755);
  const den = await Den.open({}, builtins, { PATH: `${bin}:${process.env['PATH']}` });
  const env = { PATH: `${bin}:${join(bin, '../keys')}:${process.env['PATH']}` };
  expect((await den.run(['greet'], { job: { env } })).stdout.text).toBe('hi\n');
  await expect(den.sh(`cat ${join(bin, '../keys/key')}`, { job: { env } })).rejects.toThrow(/No such file/);
});

it('a program without a network reaches a socket in the folder of its attempt, as it does its tools', async () => {
  const den = await Den.open();
  const socket = join(den.attempt, 'tools.sock');
  const server = createServer((connection) => connection.end('tools'));
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  onTestFinished(() => void server.close());
  const ask = `require('net').connect('${socket}').on('data', (text) => console.log(String(text)))`;
  const { stdout } = await den.run([process.execPath, '-e', ask], { container: { network: 'none' } });
  expect(stdout.text).toBe('tools\n');
});

it('a worktree of the repository sees its history, and cannot change what git obeys', async () => {
  const den = await Den.open();
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', den.project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('init', '--quiet');
  git('add', 'agent.mjs');
  git('commit', '--quiet', '--message', 'first');
  const tree = join(den.project, '.patchbay/runs/r1/tree');
  git('worktree', 'add', '--quiet', '--detach', tree);
  const more = { job: { cwd: tree, writable: [tree, den.attempt] }, repoAccess: true };
  expect(
    await den.sh('git -c safe.directory="*" log --format=%s; echo changed > agent.mjs; git status --short', more),
  ).toBe('first\n M agent.mjs');
  await expect(den.sh(`echo x > ${den.project}/.git/config`, more)).rejects.toThrow(/Read-only/);
  await expect(den.sh(`cat ${den.project}/.git/config`)).rejects.toThrow(/No such file/);
});

it('what an agent has the loader of programs do is not done by what confines it', async () => {
  const den = await Den.open();
  const env = { PATH: process.env['PATH'] ?? '', LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(den.workspace, 'loaded') };
  await den.run(['true'], { job: { env } });
  const texts = readdirSync(den.workspace)
    .filter((name) => name.startsWith('loaded'))
    .map((name) => readFileSync(join(den.workspace, name), 'utf8'));
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain('initialize program: true');
});
