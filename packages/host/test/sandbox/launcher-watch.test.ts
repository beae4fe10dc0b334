import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job, Output } from '../../src/sandbox/launcher.ts';
import { confinements, nap, running, Workshop } from './fixture.ts';

describe.each(confinements)('watching a program, confined by %s', (confinement) => {
  let shop: Workshop;
  beforeAll(() => {
    shop = new Workshop(confinement);
  });
  afterAll(() => shop.close());

  /** Runs a script; what it prints goes to `hear`. */
  function watch(text: string, hear: (output: Output) => void, more: Partial<Job> = {}, signal?: AbortSignal) {
    const env = { PATH: process.env['PATH'] ?? '' };
    const job = { argv: ['/bin/bash', '-c', text], cwd: shop.project, env, timeoutMs: 20_000, ...more };
    return shop.launcher.run(job, signal, hear);
  }

  async function watched(text: string, more: Partial<Job> = {}) {
    const heard = { stdout: '', stderr: '' };
    const ended = await watch(
      text,
      (output) => {
        heard[output.stream] += output.text;
      },
      more,
    );
    return { ended, heard };
  }

  it('tells what it prints while it runs, not at its end', async () => {
    const go = join(shop.project, 'go');
    const seen: string[] = [];
    const ended = await watch(
      `echo first; echo second >&2; until [ -e ${go} ]; do sleep 0.02; done; echo third`,
      ({ stream, text }) => {
        seen.push(`${stream} ${text}`);
        if (seen.length === 2) shop.run(`touch ${go}`);
      },
    );
    expect(seen.toSorted()).toEqual(['stderr second\n', 'stdout first\n', 'stdout third\n']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: { text: 'first\nthird\n' }, stderr: { text: 'second\n' } });
  });

  it('tells all of it where it is little, characters whole, however they come', async () => {
    const { heard } = await watched(
      'for i in 1 2 3; do printf "\\xe2"; sleep 0.15; printf "\\x82\\xac $i"; done; printf "\\xff\\xe2" >&2',
    );
    expect(heard).toEqual({ stdout: '€ 1€ 2€ 3', stderr: '\ufffd\ufffd' });
  });

  it('tells of a flood the beginning, the end, and how much it leaves out, and does not hold it up', async () => {
    const { ended, heard } = await watched('echo first; head -c 300000000 /dev/zero | tr "\\0" x; echo; echo last');
    expect(ended.stdout.bytes).toBe(300_000_012);
    expect(heard.stdout.length).toBeLessThan(5_000_000);
    expect(heard.stdout).toMatch(/^first\nx{1000}/);
    expect(heard.stdout).toMatch(/x{1000}\nlast\n$/);
    const gaps = [...heard.stdout.matchAll(/\n\[(\d+) bytes left out\]\n/g)];
    const leftOut = gaps.reduce((sum, [, count]) => sum + Number(count), 0);
    const told = gaps.reduce((rest, [marker]) => rest - marker.length, heard.stdout.length);
    expect(leftOut + told).toBe(ended.stdout.bytes);
    const [launcher] = running(`launcher-main.ts\0${shop.temp}`);
    const [, peakKb] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${launcher}/status`, 'utf8')) ?? [];
    expect(Number(peakKb)).toBeLessThan(200_000);
  });

  it('lets a flood go on for as long as it likes while others are told of', async () => {
    const abort = new AbortController();
    const told: string[] = [];
    const flood = watch('yes flood', ({ text }) => void told.push(text), {}, abort.signal);
    const seen: string[] = [];
    await watch('for i in 1 2 3; do echo $i; sleep 0.2; done', ({ text }) => void seen.push(text));
    abort.abort();
    expect(await flood).toMatchObject({ aborted: true });
    expect(seen).toEqual(['1\n', '2\n', '3\n']);
    expect(told.join('')).toMatch(/bytes left out/);
  });

  it('ends one that prints nothing for too long', async () => {
    const seconds = nap();
    const ended = await shop.run(`echo begun; sleep ${seconds}`, { silenceMs: 300 });
    expect(ended).toMatchObject({ silent: true, timedOut: false, aborted: false, stdout: { text: 'begun\n' } });
    expect(running(seconds)).toEqual([]);
  });

  it('does not end one that prints now and then, on either stream', async () => {
    const script = 'for i in 1 2 3; do sleep 0.4; echo $i; sleep 0.4; echo $i >&2; done';
    const ended = await shop.run(script, { silenceMs: 1_500 });
    expect(ended).toMatchObject({ silent: false, exitCode: 0 });
  });
});

describe('a host that is busy', () => {
  it('is told later how much it has missed, and nothing piles up meanwhile', async () => {
    const shop = new Workshop('group');
    try {
      let text = '';
      const job = { argv: ['/bin/bash', '-c', 'yes flood | head -c 500000000'], cwd: '/', env: {}, timeoutMs: 60_000 };
      const ended = shop.launcher.run({ ...job, env: { PATH: process.env['PATH'] ?? '' } }, undefined, (output) => {
        if (text === '') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
        text += output.text;
      });
      expect((await ended).stdout.bytes).toBe(500_000_000);
      expect(text).toMatch(/\n\[\d+ bytes left out\]\n/);
      const [launcher] = running(`launcher-main.ts\0${shop.temp}`);
      const [, peakKb] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${launcher}/status`, 'utf8')) ?? [];
      expect(Number(peakKb)).toBeLessThan(200_000);
    } finally {
      await shop.close();
    }
  });
});
