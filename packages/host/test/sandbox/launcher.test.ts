import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confinements, running, Workshop } from './fixture.ts';

describe.each(confinements)('running a program, confined by %s', (confinement) => {
  let shop: Workshop;
  beforeAll(() => {
    shop = new Workshop(confinement);
  });
  afterAll(() => shop.close());

  it('says how it confines', async () => {
    expect(await shop.launcher.confinement()).toBe(confinement);
  });

  it('gives it the variables it was given and TMPDIR, and no others', async () => {
    const { stdout } = await shop.launcher.run({
      argv: ['/usr/bin/env'],
      cwd: shop.project,
      env: { GIVEN: 'a value\nof two lines' },
      timeoutMs: 10_000,
    });
    const names = stdout.text.match(/^\w+(?==)/gm)?.filter((name) => name !== 'PWD');
    expect(names?.sort()).toEqual(['GIVEN', 'TMPDIR']);
    expect(stdout.text).toContain('GIVEN=a value\nof two lines\n');
  });

  it('has no environment itself that it could read', async () => {
    expect((await shop.run('cat /proc/$PPID/environ')).stdout.text).not.toContain('HOME=');
  });

  it('runs it in the folder it was given', async () => {
    expect((await shop.run('pwd')).stdout.text).toBe(`${shop.project}\n`);
  });

  it('leaves it no open file but its own three', async () => {
    const { stdout } = await shop.run('echo /proc/self/fd/*');
    const open = stdout.text.trim().split(' ');
    // The shell has the folder open while it lists it, and itself at 255.
    expect(open.map((path) => Number(path.split('/').at(-1))).filter((fd) => fd > 3 && fd !== 255)).toEqual([]);
  });

  it.each([0, 1, 3, 42, 127, 255])('tells exit code %i', async (code) => {
    expect(await shop.run(`exit ${code}`)).toMatchObject({ exitCode: code, signal: null, timedOut: false });
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGABRT', 'SIGUSR1'])('tells death by %s', async (signal) => {
    const ended = await shop.run(`kill -${signal.slice(3)} $$; sleep 5`);
    expect(ended).toMatchObject({ exitCode: null, signal, timedOut: false, aborted: false });
  });

  it('keeps what it prints, on either stream', async () => {
    const ended = await shop.run('echo out; echo err >&2; printf ü');
    expect(ended.stdout).toEqual({ text: 'out\nü', bytes: 6 });
    expect(ended.stderr).toEqual({ text: 'err\n', bytes: 4 });
  });

  it('keeps head and tail of 300 MB, and the program is not held up', async () => {
    const ended = await shop.run('echo first; head -c 300000000 /dev/zero | tr "\\0" x; echo; echo last');
    const { text, bytes } = ended.stdout;
    expect(ended.exitCode).toBe(0);
    expect(bytes).toBe(300_000_012);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
    expect(text).toMatch(/^first\nx{1000}/);
    expect(text).toMatch(/x{1000}\nlast\n$/);
    const [, leftOut] = /\n\[(\d+) bytes left out\]\n/.exec(text) ?? [];
    const marker = `\n[${leftOut} bytes left out]\n`;
    expect(Number(leftOut) + text.length - marker.length).toBe(bytes);
    const [launcher] = running(`launcher-main.ts\0${shop.temp}`);
    const [, peakKb] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${launcher}/status`, 'utf8')) ?? [];
    expect(Number(peakKb)).toBeLessThan(200_000);
  });

  it('makes text of whatever is printed', async () => {
    const ended = await shop.run('head -c 1000000 /dev/urandom; printf "\\xff\\xfe" >&2');
    expect(ended.stdout.bytes).toBe(1_000_000);
    expect(Buffer.byteLength(ended.stdout.text)).toBeLessThanOrEqual(64 * 1024);
    expect(ended.stdout.text.isWellFormed()).toBe(true);
    expect(ended.stderr.text).toBe('\ufffd\ufffd');
  });

  it('closes its input where none is given', async () => {
    expect((await shop.run('cat; echo end')).stdout.text).toBe('end\n');
  });

  it('gives it its input, with lines of any kind in it', async () => {
    const stdin = '{"text":"a\u2028b\u2029c\\n"}\nü';
    expect((await shop.run('cat', { stdin })).stdout.text).toBe(stdin);
  });

  it('does not mind if its input is not read', async () => {
    const ended = await shop.run('exec 0<&-; echo done', { stdin: 'x'.repeat(5_000_000) });
    expect(ended).toMatchObject({ exitCode: 0, stdout: { text: 'done\n' } });
  });

  it('passes arguments on as they are', async () => {
    const argv = ['/usr/bin/printf', '<%s>', 'a b', '', '--', '$HOME', '*'];
    const { stdout } = await shop.launcher.run({ argv, cwd: shop.project, env: {}, timeoutMs: 10_000 });
    expect(stdout.text).toBe('<a b><><--><$HOME><*>');
  });

  it('finds a command on the PATH that it was given', async () => {
    shop.script('echo found', { name: 'my-command' });
    const env = { PATH: `/nowhere:${shop.dir}:/usr/bin:/bin` };
    const ended = await shop.launcher.run({ argv: ['my-command'], cwd: shop.project, env, timeoutMs: 10_000 });
    expect(ended.stdout.text).toBe('found\n');
  });

  it('runs 50 at once', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => shop.run(`echo ${i}; exit ${i % 7}`)));
    expect(all.map(({ stdout }) => stdout.text)).toEqual(all.map((_, i) => `${i}\n`));
    expect(all.map(({ exitCode }) => exitCode)).toEqual(all.map((_, i) => i % 7));
    expect(shop.leftovers()).toEqual([]);
  });
});

describe.runIf(confinements.includes('namespace'))('a namespace', () => {
  it('shows a program no process but its own, and so no environment of others', async () => {
    const shop = new Workshop('namespace');
    try {
      const { stdout } = await shop.run(`ls -d /proc/[0-9]*; cat /proc/${process.pid}/environ`);
      const pids = stdout.text.match(/\d+/g)?.map(Number) ?? [];
      expect(Math.max(...pids)).toBeLessThan(20);
      expect(stdout.text).not.toContain('PATH=');
    } finally {
      await shop.close();
    }
  });
});
