import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confinements, eventually, nap, running, Workshop } from './fixture.ts';

const never = 86_400_000;

describe.each(confinements)('ending a program, confined by %s', (confinement) => {
  let shop: Workshop;
  beforeAll(() => {
    shop = new Workshop(confinement);
  });
  afterAll(() => shop.close());

  it('ends one whose time is over with SIGTERM', async () => {
    const seconds = nap();
    const ended = await shop.run(`exec sleep ${seconds}`, { timeoutMs: 100 });
    expect(ended).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: true, aborted: false });
    expect(running(seconds)).toEqual([]);
  });

  it('lets it clean up within its grace', async () => {
    const script = `trap 'echo cleaned up; exit 5' TERM; sleep ${nap()} & wait`;
    const ended = await shop.run(script, { timeoutMs: 200, graceMs: 10_000 });
    expect(ended).toMatchObject({ exitCode: 5, signal: null, timedOut: true, stdout: { text: 'cleaned up\n' } });
  });

  it('asks everything it started to end, not only the first process', async () => {
    const marker = join(shop.project, 'asked');
    const child = `trap 'touch ${marker}; exit' TERM; sleep ${nap()} & wait`;
    const script = `trap 'wait; exit 0' TERM; bash -c "${child.replaceAll('$', '\\$')}" & wait`;
    await shop.run(script, { timeoutMs: 400, graceMs: 10_000 });
    expect(existsSync(marker)).toBe(true);
  });

  it('kills one that ignores SIGTERM after its grace', async () => {
    const seconds = nap();
    const ended = await shop.run(`trap '' TERM; sleep ${seconds}; sleep ${seconds}`, { timeoutMs: 100, graceMs: 100 });
    expect(ended).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true });
    expect(running(seconds)).toEqual([]);
  });

  it('kills one that is stopped', async () => {
    const ended = await shop.run('kill -STOP $$', { timeoutMs: 100, graceMs: 100 });
    expect(ended).toMatchObject({ timedOut: true, exitCode: null });
  });

  it('ends one that is no longer wanted as if its time were over', async () => {
    const seconds = nap();
    const abort = new AbortController();
    const script = `trap 'echo bye; exit 0' TERM; sleep ${seconds} & wait`;
    const job = shop.run(script, { timeoutMs: never }, abort.signal);
    await eventually(() => expect(running(`sleep\0${seconds}`)).not.toEqual([]));
    abort.abort();
    expect(await job).toMatchObject({ aborted: true, timedOut: false, exitCode: 0, stdout: { text: 'bye\n' } });
    expect(running(seconds)).toEqual([]);
  });

  it('does not even start one that is not wanted from the start', async () => {
    const marker = join(shop.project, 'started');
    const ended = await shop.run(`touch ${marker}`, {}, AbortSignal.abort());
    expect(ended).toMatchObject({ aborted: true, exitCode: null, signal: null });
    expect(existsSync(marker)).toBe(false);
  });

  it('kills what it leaves running in the background', async () => {
    const seconds = nap();
    const ended = await shop.run(`sleep ${seconds} & trap '' TERM; (trap '' TERM HUP; sleep ${seconds}) & echo done`);
    expect(ended).toMatchObject({ exitCode: 0, timedOut: false, stdout: { text: 'done\n' } });
    expect(running(seconds)).toEqual([]);
  });

  it('kills what it forked twice', async () => {
    const seconds = nap();
    const ended = await shop.run(`( ( nohup sleep ${seconds} >/dev/null 2>&1 & ) & ); sleep 0.1`);
    expect(ended.exitCode).toBe(0);
    expect(running(seconds)).toEqual([]);
  });

  it('does not wait for one that keeps its output open', async () => {
    const seconds = nap();
    const ended = await shop.run(`sleep ${seconds} & echo main is done`, { timeoutMs: never });
    expect(ended).toMatchObject({ exitCode: 0, stdout: { text: 'main is done\n' } });
    expect(running(seconds)).toEqual([]);
  });

  it('survives a program that signals its whole group', async () => {
    const script = `trap 'echo heard; exit 3' TERM; sleep ${nap()} & kill 0; wait`;
    expect(await shop.run(script)).toMatchObject({ exitCode: 3, stdout: { text: 'heard\n' } });
    expect(await shop.run('kill -9 0')).toMatchObject({ signal: 'SIGKILL' });
    expect(await shop.run('echo still here')).toMatchObject({ stdout: { text: 'still here\n' } });
  });

  it('ends what runs when it is closed', async () => {
    const other = new Workshop(confinement);
    try {
      const seconds = nap();
      const job = other.run(`trap '' TERM; sleep ${seconds}; sleep ${seconds}`, { timeoutMs: never });
      await eventually(() => expect(running(`sleep\0${seconds}`)).not.toEqual([]));
      await other.launcher.close();
      expect(await job).toMatchObject({ aborted: true, signal: 'SIGKILL' });
      expect(running(seconds)).toEqual([]);
      expect(other.leftovers()).toEqual([]);
      await expect(other.run('echo more')).rejects.toMatchObject({ code: 'HANDLER_FAILED' });
    } finally {
      await other.close();
    }
  });
});

describe.runIf(confinements.includes('namespace'))('a namespace', () => {
  let shop: Workshop;
  beforeAll(() => {
    shop = new Workshop('namespace');
  });
  afterAll(() => shop.close());

  it('lets nobody escape by a session of its own', async () => {
    const seconds = nap();
    const ended = await shop.run(`setsid sleep ${seconds} >/dev/null 2>&1 & sleep 0.1; echo done`);
    expect(ended).toMatchObject({ exitCode: 0, stdout: { text: 'done\n' } });
    expect(running(seconds)).toEqual([]);
  });

  it('asks those in another session to end, too', async () => {
    const marker = join(shop.project, 'asked');
    const child = `trap 'touch ${marker}; exit' TERM; sleep ${nap()} & wait`;
    await shop.run(`trap 'sleep 1; exit' TERM; setsid bash -c "${child}" & sleep ${nap()} & wait`, {
      timeoutMs: 400,
      graceMs: 10_000,
    });
    expect(existsSync(marker)).toBe(true);
  });

  it('ends hundreds of processes that all ran away from each other', async () => {
    const word = `forker-${process.pid}`;
    const fork = 'for i in 1 2 3 4 5 6; do [ $1 -gt 0 ] && setsid "$0" $(($1 - 1)) & done; sleep 60';
    const file = shop.script(fork, { name: word });
    const ended = await shop.run(`trap '' TERM; '${file}' 2`, { timeoutMs: 1_000, graceMs: 100 });
    expect(ended.timedOut).toBe(true);
    expect(running(word)).toEqual([]);
  });
});
