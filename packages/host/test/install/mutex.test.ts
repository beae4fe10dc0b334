import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alone } from '../../src/install/mutex.ts';

/** Called before every change of the file system. */
const steps = vi.hoisted(() => ({ before: () => {} }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const stepping = (act: (...args: never[]) => unknown) =>
    ((...args: never[]) => {
      steps.before();
      return act(...args);
    }) as never;
  const { mkdirSync, writeFileSync, renameSync, rmSync, rmdirSync } = fs;
  return {
    ...fs,
    mkdirSync: stepping(mkdirSync),
    writeFileSync: stepping(writeFileSync),
    renameSync: stepping(renameSync),
    rmSync: stepping(rmSync),
    rmdirSync: stepping(rmdirSync),
  };
});

let work: string;
beforeEach(() => {
  work = join(mkdtempSync(join(tmpdir(), 'patchbay-mutex-')), 'work');
});
afterEach(() => {
  steps.before = () => {};
  rmSync(join(work, '..'), { recursive: true, force: true });
});

function heldBy(pid: number, start = ''): void {
  mkdirSync(join(work, 'lock'), { recursive: true });
  writeFileSync(join(work, 'lock', `${pid}-${start}-x`), '');
}
const deadPid = () => spawnSync(process.execPath, ['-e', '0']).pid;

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

  it('does not wait for a process that has died, and takes away what it left', async () => {
    heldBy(deadPid());
    mkdirSync(join(work, `lock-${deadPid()}--y`));
    expect(await alone(work, async () => 'in', 0)).toBe('in');
    expect(readdirSync(work)).toEqual([]);
  });

  it('does not wait for an empty lock, as a crash while it was freed leaves it', async () => {
    mkdirSync(join(work, 'lock'), { recursive: true });
    expect(await alone(work, async () => 'in', 0)).toBe('in');
  });

  it.runIf(process.platform === 'linux')('does not take another process for a dead one of the same id', async () => {
    heldBy(process.pid, '1');
    expect(await alone(work, async () => 'in', 0)).toBe('in');
  });

  it('names a living process that it has waited for in vain', async () => {
    heldBy(process.ppid);
    await expect(alone(work, async () => 'in', 50)).rejects.toMatchObject({
      code: 'PROJECT_BUSY',
      message: expect.stringContaining(`process ${process.ppid} `),
    });
    expect(readdirSync(work)).toEqual(['lock']);
  });

  it('lets the next one in after an error', async () => {
    await expect(alone(work, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await alone(work, async () => 'in', 0)).toBe('in');
  });
});

describe('taking over from a process that has died', () => {
  /** One is about to take its `at`th step when a second takes over and stays in, and a third comes after the step. */
  async function race(at: number): Promise<{ reached: boolean; most: number }> {
    let inside = 0;
    let most = 0;
    const leave = Promise.withResolvers<void>();
    const enter = () =>
      alone(work, async () => {
        most = Math.max(most, ++inside);
        await leave.promise;
        inside--;
      });
    heldBy(deadPid());
    const others: Promise<void>[] = [];
    let step = 0;
    steps.before = () => {
      step++;
      // What `alone` does until somebody is in happens at once, that is, between two steps of the first.
      if (step !== at && step !== at + 1) return;
      const next = steps.before;
      steps.before = () => {};
      others.push(enter());
      steps.before = next;
    };
    const first = enter();
    steps.before = () => {};
    leave.resolve();
    await Promise.all([first, ...others]);
    expect(readdirSync(work)).toEqual([]);
    return { reached: others.length > 0, most };
  }

  it('lets only one in, wherever the others overtake it', async () => {
    let at = 1;
    for (; at < 50; at++) {
      const { reached, most } = await race(at);
      if (!reached) break;
      expect(most, `overtaken before step ${at}`).toBe(1);
    }
    expect(at).toBeGreaterThan(5);
    expect(at).toBeLessThan(50);
  });
});
