import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../../src/sandbox/bubblewrap.ts';
import { confinements, eventually, nap, running, Workshop } from './fixture.ts';

describe.each(confinements)('by %s', (confinement) => {
  let shop: Workshop;
  beforeEach(() => {
    shop = new Workshop(confinement);
  });
  afterEach(() => shop.close());

  const env = { PATH: process.env['PATH'] ?? '' };
  const isThere = (name: string) => eventually(() => expect(existsSync(join(shop.project, name))).toBe(true));

  it('a job that wants no namespace sees the processes of the host', async () => {
    const { stdout } = await shop.run(`[ -e /proc/${process.pid}/stat ] && echo seen`, { namespace: 'none' });
    expect(stdout.text).toBe('seen\n');
  });

  it('what a job had others run is ended by what it says, where it is ended itself', async () => {
    const stop = new AbortController();
    const after = ['/bin/sh', '-c', `echo "$WHO" > ${shop.project}/after`];
    const more = { after, namespace: 'none', env: { ...env, WHO: 'me' }, graceMs: 50 } as const;
    const ended = shop.run(`trap '' TERM; echo > begun; while :; do sleep 0.1; done`, more, stop.signal);
    await isThere('begun');
    stop.abort();
    expect(await ended).toMatchObject({ aborted: true });
    expect(readFileSync(join(shop.project, 'after'), 'utf8')).toBe('me\n');
  });

  it('that is not asked for where it ends by itself, and harms nothing where it cannot be run', async () => {
    const after = ['/bin/sh', '-c', `echo > ${shop.project}/after`];
    expect(await shop.run('exit 3', { after, namespace: 'none' })).toMatchObject({ exitCode: 3 });
    expect(existsSync(join(shop.project, 'after'))).toBe(false);
    const killed = await shop.run('kill -9 $$', { after: ['/no/such/program'], namespace: 'none' });
    expect(killed).toMatchObject({ signal: 'SIGKILL' });
  });
});

it.runIf(confinements.includes('namespace'))(
  'what a job has the loader of programs do is not done by what confines it',
  async () => {
    const shop = new Workshop('namespace');
    onTestFinished(() => shop.close());
    const env = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(shop.project, 'loaded') };
    await shop.launcher.run({ argv: ['/bin/true'], cwd: shop.project, env, timeoutMs: 20_000 });
    const [file = '', ...others] = readdirSync(shop.project);
    expect(others).toEqual([]);
    expect(readFileSync(join(shop.project, file), 'utf8')).toContain('/bin/true');
  },
);

describe.runIf(confinements.includes('namespace'))('a job that is bubblewrap itself', () => {
  let shop: Workshop;
  beforeEach(() => {
    shop = new Workshop('namespace');
  });
  afterEach(() => shop.close());

  const env = { PATH: process.env['PATH'] ?? '' };
  const flags = [
    '--die-with-parent',
    '--new-session',
    '--unshare-pid',
    '--dev-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--',
  ];
  const own = (line: string, before: readonly string[] = []) => ({
    ...{ argv: [...before, findBubblewrap() ?? '', ...flags, '/bin/bash', '-c', line], namespace: 'own' as const },
    ...{ cwd: shop.project, env, timeoutMs: 20_000 },
  });

  it.each([
    ['its exit code', 'exit 7', { exitCode: 7, signal: null }],
    ['the signal that it died of', 'kill -9 $$', { exitCode: null, signal: 'SIGKILL' }],
  ])('tells %s', async (_, line, expected) => {
    expect(await shop.launcher.run(own(line))).toMatchObject(expected);
  });

  it('may be started by a program that becomes it', async () => {
    expect(await shop.launcher.run(own('exit 7', ['/usr/bin/env', 'A=b']))).toMatchObject({ exitCode: 7 });
  });

  it('is asked to end before it is killed, with all that it started', async () => {
    const stop = new AbortController();
    const seconds = nap();
    const line = `trap 'echo bye; exit 0' TERM; setsid sleep ${seconds} & echo > begun; wait`;
    const ended = shop.launcher.run(own(line), stop.signal);
    await eventually(() => expect(existsSync(join(shop.project, 'begun'))).toBe(true));
    stop.abort();
    expect(await ended).toMatchObject({ aborted: true, stdout: { text: 'bye\n' } });
    expect(running(seconds)).toEqual([]);
  });

  it.each([
    ['has not told of its job yet', 'true'],
    ['has told of its job, which has not begun', `echo '{ "child-pid": '$first' }' >&3`],
  ])('that %s is asked to end, and has been stopped', async (_, tells) => {
    const stop = new AbortController();
    const first = `trap true TERM; (trap 'echo bye; exit 0' TERM; echo > begun; sleep ${nap()} & wait); exit 143`;
    const file = shop.script(`(${first}) & first=$!; ${tells}; wait; exit 143`, { name: 'bwrap' });
    const ended = shop.launcher.run({ ...own(''), argv: [file] }, stop.signal);
    await eventually(() => expect(existsSync(join(shop.project, 'begun'))).toBe(true));
    stop.abort();
    expect(await ended).toMatchObject({ aborted: true, signal: 'SIGTERM', stdout: { text: 'bye\n' } });
  });

  it('that cannot start its program says why', async () => {
    const job = own('');
    const argv = [...job.argv.slice(0, -3), '/no/such/program'];
    await expect(shop.launcher.run({ ...job, argv })).rejects.toThrow(/\/no\/such\/program/);
  });
});
