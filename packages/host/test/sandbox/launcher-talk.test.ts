import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conversation, Job } from '../../src/sandbox/launcher.ts';
import { confinements, eventually, nap, running, Workshop } from './fixture.ts';

describe.each(confinements)('talking with a program, confined by %s', (confinement) => {
  let shop: Workshop;
  beforeAll(() => {
    shop = new Workshop(confinement);
  });
  afterAll(() => shop.close());

  let errors = '';
  function talk(text: string, more: Partial<Job> = {}): Promise<Conversation> {
    errors = '';
    const env = { PATH: process.env['PATH'] ?? '' };
    const job = { argv: ['/bin/bash', '-c', text], cwd: shop.project, env, timeoutMs: 20_000, ...more };
    return shop.launcher.converse(job, (said) => {
      errors += said;
    });
  }

  async function all(conversation: Conversation): Promise<string> {
    const parts: string[] = [];
    for (let part = await conversation.read(); part !== null; part = await conversation.read()) parts.push(part);
    return parts.join('');
  }

  it('answers it line by line', async () => {
    const one = await talk('while read -r line; do echo "<$line>"; echo "heard $line" >&2; done; echo end');
    for (const word of ['a', 'ü b', '$HOME']) {
      await one.write(`${word}\n`);
      expect(await one.read()).toBe(`<${word}>\n`);
    }
    await one.endInput();
    expect(await all(one)).toBe('end\n');
    expect(await one.ended).toMatchObject({ exitCode: 0, stderr: { text: 'heard a\nheard ü b\nheard $HOME\n' } });
    expect(errors).toBe('heard a\nheard ü b\nheard $HOME\n');
    await expect(one.write('more')).rejects.toThrow('has ended');
    expect(await one.read()).toBeNull();
  });

  it('loses nothing of much, in either direction', async () => {
    const text = 'äöü 0123456789\n'.repeat(400_000);
    const one = await talk('cat');
    const back = all(one);
    await one.write(text);
    await one.endInput();
    expect((await back) === text).toBe(true);
    expect(await one.ended).toMatchObject({ exitCode: 0 });
  });

  it('makes it wait while nobody reads what it prints, and then loses nothing', async () => {
    const marker = join(shop.project, 'all-printed');
    const one = await talk(`head -c 3000000 /dev/zero | tr '\\0' x; touch ${marker}`);
    let bytes = (await one.read())?.length ?? 0;
    // What others run in the meantime, it cannot hold up.
    expect(await shop.run('echo other')).toMatchObject({ stdout: { text: 'other\n' } });
    expect(await shop.run(`sleep 0.3; test -e ${marker}`)).toMatchObject({ exitCode: 1 });
    bytes += (await all(one)).length;
    expect(bytes).toBe(3_000_000);
    expect(await one.ended).toMatchObject({ exitCode: 0, stdout: { bytes: 3_000_000 } });
  });

  it('gets what it printed last, whoever reads it late', async () => {
    const one = await talk(`head -c 300000 /dev/zero | tr '\\0' x; echo end`);
    await one.ended;
    expect(await all(one)).toMatch(/^x{300000}end\n$/);
  });

  it('does not wait for one that reads nothing, once it has ended', async () => {
    const one = await talk('exec sleep 0.2');
    await expect(one.write('x'.repeat(5_000_000))).rejects.toThrow('has ended');
    expect(await one.ended).toMatchObject({ exitCode: 0 });
  });

  it('does not mind one that closes its input and lives on', async () => {
    const one = await talk('exec 0<&-; echo closed; sleep 0.2; echo end');
    expect(await one.read()).toBe('closed\n');
    // Where there are namespaces, who guards it could still read.
    const written = one.write('x'.repeat(1_000_000)).catch(() => {});
    expect(await all(one)).toBe('end\n');
    await written;
  });

  it('ends it with all that it started', async () => {
    const seconds = nap();
    const one = await talk(`trap '' TERM; sleep ${seconds} & echo ready; sleep ${seconds}`, { graceMs: 100 });
    expect(await one.read()).toBe('ready\n');
    one.stop();
    expect(await one.ended).toMatchObject({ aborted: true, signal: 'SIGKILL' });
    expect(running(seconds)).toEqual([]);
    expect(await one.read()).toBeNull();
  });

  it('ends it when its time is over, whether it is talked with or not', async () => {
    const one = await talk('cat', { timeoutMs: 200 });
    expect(await one.ended).toMatchObject({ timedOut: true, signal: 'SIGTERM' });
    expect(await all(one)).toBe('');
  });

  it('ends one that says nothing for too long', async () => {
    const one = await talk('cat', { silenceMs: 300 });
    expect(await one.ended).toMatchObject({ silent: true });
  });

  it('says why it cannot be started', async () => {
    const file = join(shop.dir, 'no-program');
    writeFileSync(file, '');
    await expect(talk('', { argv: [file] })).rejects.toMatchObject({ code: 'HANDLER_START', file });
  });

  it('fails if the launcher process dies', async () => {
    const seconds = nap();
    const one = await talk(`sleep ${seconds}`);
    const failed = expect(one.ended).rejects.toMatchObject({ code: 'HANDLER_FAILED' });
    await eventually(() => expect(running(`sleep\0${seconds}`)).not.toEqual([]));
    for (const pid of running(`launcher-main.ts\0${shop.temp}`)) process.kill(pid, 'SIGKILL');
    await failed;
    expect(await one.read()).toBeNull();
    await expect(one.write('x')).rejects.toThrow('has ended');
    await eventually(() => expect(running(seconds)).toEqual([]));
  });
});
