import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confinements, Workshop } from './fixture.ts';

describe.each(confinements)('a program that cannot be started, confined by %s', (confinement) => {
  let shop: Workshop;
  beforeAll(() => {
    shop = new Workshop(confinement);
  });
  afterAll(() => shop.close());

  const start = (program: string, more = {}) =>
    shop.launcher.run({
      argv: [program],
      cwd: shop.project,
      env: { PATH: '/usr/bin:/bin' },
      timeoutMs: 10_000,
      files: { FILE: '{}' },
      ...more,
    });

  async function refused(program: string, message: string | RegExp, hint: string | RegExp): Promise<void> {
    await expect(start(program)).rejects.toMatchObject({
      code: 'HANDLER_START',
      file: program,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(shop.leftovers()).toEqual([]);
  }

  it('is missing', () => refused(join(shop.dir, 'missing.sh'), /there is no file .*missing\.sh/, 'Install'));

  it('is a folder', () => {
    mkdirSync(join(shop.dir, 'folder.sh'));
    return refused(join(shop.dir, 'folder.sh'), 'is not a file', 'manifest');
  });

  it('has no run bit', () => {
    const file = shop.script('echo hi', { name: 'no-run-bit.sh', mode: 0o644 });
    return refused(file, /no-run-bit\.sh has no run bit/, /chmod \+x '.*no-run-bit\.sh'/);
  });

  it('names an interpreter that is not here', () => {
    const file = shop.script('1', { name: 'strange.sh', first: '#!/opt/strange/interpreter -x\n' });
    return refused(file, /wants the interpreter "\/opt\/strange\/interpreter"/, 'Install /opt/strange/interpreter');
  });

  it.each(['#!/usr/bin/env strangelang\n', '#!/usr/bin/env -S A=b strangelang --flag\n'])(
    'names an interpreter by env that is not on the PATH: %j',
    (first) => refused(shop.script('1', { name: 'strange-env.sh', first }), /"strangelang"/, 'Install strangelang'),
  );

  it('could be started before, and then lost its run bit', async () => {
    const file = shop.script('echo hi', { name: 'was-runnable.sh' });
    await expect(start(file)).resolves.toMatchObject({ exitCode: 0 });
    chmodSync(file, 0o644);
    await refused(file, /was-runnable\.sh has no run bit/, 'chmod');
  });

  it('could be started before, and then lost its interpreter', async () => {
    const interpreter = join(shop.dir, 'my-shell');
    copyFileSync('/bin/sh', interpreter);
    const file = shop.script('echo hi', { name: 'had-one.sh', first: `#!${interpreter}\n` });
    await expect(start(file)).resolves.toMatchObject({ exitCode: 0 });
    rmSync(interpreter);
    await refused(file, /had-one\.sh wants the interpreter ".*my-shell"/, 'Install');
  });

  it('has CR LF at the end of its first line', () => {
    const file = shop.script('echo hi\r\n', { name: 'windows.sh', first: '#!/bin/bash\r\n' });
    return refused(file, /first line of .*windows\.sh ends in CR LF/, 'LF line ends');
  });

  it('has no first line that names an interpreter', () => {
    return refused(shop.script('echo hi', { name: 'plain.sh', first: '' }), 'is no program', '#!/bin/sh');
  });

  it('is empty', () => refused(shop.script('', { name: 'empty.sh', first: '' }), 'is no program', '#!/bin/sh'));

  it('starts with a byte order mark', () => {
    const file = shop.script('echo hi', { name: 'bom.sh', first: '\ufeff#!/bin/bash\n' });
    return refused(file, 'byte order mark', 'without');
  });

  it('is a command that is not on the PATH', () =>
    refused('no-such-command', 'no command "no-such-command" on the PATH', 'Install no-such-command'));

  it('has a folder to run in that is missing', async () => {
    const cwd = join(shop.dir, 'nowhere');
    const program = shop.script('echo hi');
    await expect(start(program, { cwd })).rejects.toMatchObject({
      code: 'HANDLER_START',
      file: cwd,
      message: `there is no folder ${cwd} to run in`,
    });
  });

  it('is given more than fits into an environment', async () => {
    const program = shop.script('echo hi');
    await expect(start(program, { env: { HUGE: 'x'.repeat(3_000_000) } })).rejects.toMatchObject({
      code: 'HANDLER_START',
      file: program,
      message: expect.stringContaining('E2BIG'),
    });
    expect(shop.leftovers()).toEqual([]);
  });

  it('is given a variable that no environment can hold', async () => {
    await expect(start(shop.script('echo hi'), { env: { NUL: 'a\0b' } })).rejects.toMatchObject({
      code: 'HANDLER_START',
      message: expect.stringContaining('null bytes'),
    });
    expect(shop.leftovers()).toEqual([]);
  });

  it('costs nothing but itself', async () => {
    expect(await start(shop.script('echo well'))).toMatchObject({ exitCode: 0, stdout: { text: 'well\n' } });
  });
});
