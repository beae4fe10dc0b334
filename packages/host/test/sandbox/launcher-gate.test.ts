import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBubblewrap, findProgram } from '../../src/sandbox/bubblewrap.ts';
import { namespaceOptions } from '../../src/sandbox/launch/cage.ts';
import { memoryDir } from '../../src/sandbox/launch/folder.ts';
import { Gate } from '../../src/sandbox/launch/gate.ts';
import { Pipes } from '../../src/sandbox/launch/pipes.ts';
import { folderPrefix } from '../../src/sandbox/launch/sweep.ts';
import { confinements, eventually, running, Workshop } from './fixture.ts';

describe.runIf(confinements.includes('namespace'))('a program that waits until its folders are made', () => {
  let shop: Workshop;
  beforeEach(() => {
    shop = new Workshop('namespace');
  });
  afterEach(() => shop.close());

  /** Starts a program that makes the file `ran` where it runs; gives its exit code once the gate has closed. */
  async function behindGate(options: readonly string[]): Promise<number> {
    const pipe = new Pipes({ dir: shop.temp, prefix: 'pipes-', mkfifo: findProgram('mkfifo') }).take();
    if (pipe === undefined) throw new Error('there is no mkfifo');
    const gate = new Gate(pipe);
    const program = ['--', '/bin/sh', '-c', 'touch ran'];
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe', gate.reading] as const;
    const child = spawn(findBubblewrap() ?? '', [...Gate.options, ...program], {
      cwd: shop.project,
      stdio: [...stdio],
    });
    const ended = once(child, 'exit');
    expect(existsSync(join(shop.project, 'ran'))).toBe(false);
    if (options.length > 0) gate.give(options);
    gate.close();
    const [code] = await ended;
    return code;
  }

  it('runs with what it was given', async () => {
    expect(await behindGate(namespaceOptions({ cwd: shop.project }))).toBe(0);
    expect(existsSync(join(shop.project, 'ran'))).toBe(true);
  });

  it('does not run where it was given nothing, as when the launcher process has died', async () => {
    expect(await behindGate([])).not.toBe(0);
    expect(existsSync(join(shop.project, 'ran'))).toBe(false);
  });

  it('is refused with what is wrong with it, and nothing is left of it', async () => {
    const file = shop.script('echo "$PAYLOAD"', { mode: 0o644 });
    const job = { argv: [file], files: { PAYLOAD: '{}' } };
    await expect(shop.run('', job)).rejects.toMatchObject({ code: 'HANDLER_START', message: `${file} has no run bit` });
    await eventually(() => expect([...running(`--\0${file}`), ...shop.leftovers(), ...inMemory()]).toEqual([]));
  });

  it('is refused where it cannot have a folder, and nothing is left of it', async () => {
    rmSync(shop.temp, { recursive: true });
    const file = shop.script('true');
    await expect(shop.run('', { argv: [file] })).rejects.toMatchObject({ code: 'HANDLER_START' });
    await eventually(() => expect([...running(`--\0${file}`), ...inMemory()]).toEqual([]));
  });

  function inMemory(): string[] {
    const dir = memoryDir();
    return (dir === undefined ? [] : readdirSync(dir)).filter((name) => name.startsWith(folderPrefix(shop.project)));
  }
});
