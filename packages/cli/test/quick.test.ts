import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { patchbay } from './command.ts';

let cwd: string;
let home: string;

const list = () => patchbay(['plugin', 'list'], { cwd, env: { XDG_CACHE_HOME: home } });
const kept = (): string[] => {
  const dir = join(home, 'patchbay');
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.filter((name) => name.startsWith('plugin-')).map((name) => join(dir, name));
};
const none = { stdout: 'No plugins are installed.\n', stderr: '', status: 0 };

beforeEach(() => {
  cwd = folder({ 'patchbay.yaml': '' });
  home = folder();
});

describe('the code that is kept of a quick command', () => {
  it('is there from the first time it ends well on, and is not written again', () => {
    const env = { XDG_CACHE_HOME: home };
    expect(patchbay(['plugin', 'list', '--cwd', '/nowhere'], { env }).status).toBe(2);
    expect(patchbay(['plugin', 'list', '--help'], { env }).status).toBe(0);
    expect(kept()).toEqual([]);
    expect(list()).toEqual(none);
    const [file = ''] = kept();
    const before = readFileSync(file);
    expect(list()).toEqual(none);
    expect(kept()).toEqual([file]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each([
    ['damaged', (data: Buffer) => data.with(data.length >> 1, (data[data.length >> 1] ?? 0) ^ 0xff)],
    ['cut short', (data: Buffer) => data.subarray(0, data.length >> 1)],
    ['empty', () => Buffer.alloc(0)],
  ])('is made anew if it is %s', (_, change) => {
    list();
    const [file = ''] = kept();
    const damaged = change(readFileSync(file));
    writeFileSync(file, damaged);
    expect(list()).toEqual(none);
    expect(Buffer.compare(readFileSync(file), damaged)).not.toBe(0);
    expect(kept()).toEqual([file]);
  });

  it('is not needed: without a place for it the command works all the same', () => {
    writeFileSync(join(home, 'patchbay'), 'in the way');
    expect(list()).toEqual(none);
  });

  it('is not looked for under names that lead elsewhere', () => {
    const ended = patchbay(['../../plugin', 'list'], { cwd, env: { XDG_CACHE_HOME: home } });
    expect(ended).toMatchObject({ status: 2, stdout: '' });
  });
});
