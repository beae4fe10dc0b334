import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confinements, nap, running, Workshop } from './fixture.ts';

const shells = ['/bin/sh', '/bin/bash'];

describe.each(confinements)('the streams of a program, confined by %s', (confinement) => {
  let shop: Workshop;
  beforeAll(() => {
    shop = new Workshop(confinement);
  });
  afterAll(() => shop.close());

  function run(shell: string, script: string, stdin?: string) {
    const env = { PATH: process.env['PATH'] ?? '' };
    const given = stdin === undefined ? {} : { stdin };
    return shop.launcher.run({
      argv: [shell, '-c', script],
      cwd: shop.project,
      env,
      timeoutMs: 20_000,
      ...given,
    });
  }

  it.each(shells)('can be written to by their names in %s', async (shell) => {
    const script =
      'echo a > /dev/stdout; echo b > /dev/stderr; echo c >> /dev/stdout; echo d | tee /dev/stderr; echo e > /dev/fd/2';
    expect(await run(shell, script)).toMatchObject({
      exitCode: 0,
      stdout: { text: 'a\nc\nd\n' },
      stderr: { text: 'b\nd\ne\n' },
    });
  });

  it.each(shells)('can be read by their names in %s', async (shell) => {
    const stdin = 'first\nrest';
    expect(await run(shell, 'cat /dev/stdin', stdin)).toMatchObject({ exitCode: 0, stdout: { text: stdin } });
    expect(await run(shell, 'read a < /dev/stdin; echo "<$a>"', stdin)).toMatchObject({
      stdout: { text: '<first>\n' },
    });
    expect(await run(shell, 'read a; echo "<$a>"; cat', stdin)).toMatchObject({ stdout: { text: '<first>\nrest' } });
    expect(await run(shell, 'cat < /dev/stdin; echo end')).toMatchObject({ stdout: { text: 'end\n' } });
  });

  it('are blocking: no program sees "try again"', async () => {
    const stdin = 'x'.repeat(3_000_000);
    const script = 'sleep 0.1; cat; head -c 3000000 /dev/zero >&2';
    const ended = await run('/bin/sh', script, stdin);
    expect(ended).toMatchObject({ exitCode: 0, stdout: { bytes: 3_000_000 }, stderr: { bytes: 3_000_000 } });
  });

  it('are those of one job only, whoever still holds them', async () => {
    const seconds = nap();
    // In a session of its own it outlives the job where there is no namespace, and writes on.
    const script = `setsid sh -c 'trap "" HUP PIPE; while sleep 0.01; do echo stray; echo stray >&2; done; : ${seconds}' & echo own`;
    await shop.run(script, { timeoutMs: 10_000 });
    try {
      const jobs = Array.from({ length: 60 }, (_, i) => shop.run(`echo ${i}; echo ${i} >&2`));
      for (const [i, { stdout, stderr }] of (await Promise.all(jobs)).entries()) {
        expect([stdout.text, stderr.text]).toEqual([`${i}\n`, `${i}\n`]);
      }
    } finally {
      for (const pid of running(seconds)) process.kill(pid, 'SIGKILL');
    }
  });

  it('do not pile up in the process that reads them, nor on disk', async () => {
    const [launcher] = running(`launcher-main.ts\0${shop.temp}`);
    const open = () => readdirSync(`/proc/${launcher}/fd`).length;
    await Promise.all(Array.from({ length: 40 }, () => shop.run('echo x', { stdin: 'y' })));
    const before = open();
    for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 40 }, () => shop.run('echo x', { stdin: 'y' })));
    // As many as are kept ready may differ; of 240 programs, even one descriptor each would be more.
    expect(open()).toBeLessThanOrEqual(before + 150);
    expect(shop.leftovers()).toEqual([]);
    const named = readdirSync(`/proc/${launcher}/fd`).map((fd) => linkOf(`/proc/${launcher}/fd/${fd}`));
    const undeleted = named.filter((file) => file.startsWith(shop.temp) && !file.endsWith('(deleted)'));
    expect(undeleted).toEqual([]);
  });
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
