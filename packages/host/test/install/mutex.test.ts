import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alone } from '../../src/install/mutex.ts';

let work: string;
beforeEach(() => {
  work = join(mkdtempSync(join(tmpdir(), 'patchbay-mutex-')), 'work');
});
afterEach(() => rmSync(join(work, '..'), { recursive: true, force: true }));

function heldBy(pid: number): void {
  mkdirSync(work, { recursive: true });
  symlinkSync(String(pid), join(work, 'lock'));
}

describe('changing a project alone', () => {
  it('lets one after the other in, never two', async () => {
    let inside = 0;
    let most = 0;
    const change = () =>
      alone(work, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inside--;
      });
    await Promise.all([change(), change(), change()]);
    expect(most).toBe(1);
    expect(readdirSync(work)).toEqual([]);
  });

  it('does not wait for a process that has died', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    heldBy(pid);
    expect(await alone(work, async () => 'in', 0)).toBe('in');
  });

  it('names a living process that it has waited for in vain', async () => {
    heldBy(process.ppid);
    await expect(alone(work, async () => 'in', 50)).rejects.toMatchObject({
      code: 'PROJECT_BUSY',
      message: expect.stringContaining(`process ${process.ppid} `),
    });
  });

  it('lets the next one in after an error', async () => {
    await expect(alone(work, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await alone(work, async () => 'in', 0)).toBe('in');
  });
});
