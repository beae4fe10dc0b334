import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { turnResult } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Launcher } from '../../src/sandbox/launcher.ts';
import { type VerifyOptions, verify } from '../../src/workspaces/index.ts';
import { scratch } from './fixture.ts';

function options(more: Partial<VerifyOptions> = {}): VerifyOptions & { logged: string[] } {
  const dir = scratch();
  const launcher = new Launcher({ project: dir, tempDir: scratch(), namespace: 'off' });
  onTestFinished(() => launcher.close());
  const logged: string[] = [];
  return { dir, launcher, env: {}, timeoutMs: 20_000, log: (text) => logged.push(text), logged, ...more };
}

describe('verification by the host', () => {
  it('passes if every command exits with 0, in order, in the workspace', async () => {
    const given = options();
    const commands = ['echo one > file', 'test "$(cat file)" = one && pwd'];
    const result = await verify(commands, given);
    expect(result).toMatchObject({
      status: 'pass',
      commands,
      machine_evidence: commands.map((command) => ({ command, exit_code: 0 })),
    });
    expect(result.outputs[1]?.tail.trim()).toBe(given.dir);
    expect(given.logged.join('')).toContain(`$ ${commands[0]}\n`);
  });

  it('fails by the exit code, whatever is printed, and runs the rest all the same', async () => {
    const given = options();
    const result = await verify(['echo all tests passed; echo why >&2; exit 3', 'touch ran'], given);
    expect(result.status).toBe('fail');
    expect(result.machine_evidence.map(({ exit_code }) => exit_code)).toEqual([3, 0]);
    expect(result.outputs[0]?.tail).toBe('all tests passed\n\nwhy\n');
    expect(existsSync(join(given.dir, 'ran'))).toBe(true);
  });

  it('is skipped without commands', async () => {
    expect(await verify([], options())).toEqual({ status: 'skipped', commands: [], machine_evidence: [], outputs: [] });
  });

  it('ends a command that takes too long, and counts that as 124', async () => {
    const result = await verify(['sleep 600'], options({ timeoutMs: 200 }));
    expect(result).toMatchObject({
      status: 'fail',
      machine_evidence: [{ exit_code: 124 }],
      outputs: [{ timed_out: true }],
    });
  });

  it('counts a signal as shells do', async () => {
    const result = await verify(['kill -9 $$'], options());
    expect(result.machine_evidence[0]?.exit_code).toBe(137);
  });

  it('counts a command that does not exist as 127', async () => {
    expect((await verify(['no-such-command'], options())).machine_evidence[0]?.exit_code).toBe(127);
  });

  it('shows a command the variables it is given, and none of the host', async () => {
    process.env['WORKSPACE_SECRET'] = 'secret';
    onTestFinished(() => {
      delete process.env['WORKSPACE_SECRET'];
    });
    const result = await verify(['echo "$WORKSPACE_SECRET|$GIVEN|$HOME"'], options({ env: { GIVEN: 'given' } }));
    expect(result.outputs[0]?.tail.trim()).toBe(`|given|${process.env['HOME']}`);
  });

  it('keeps the end of what is printed', async () => {
    const result = await verify(['for i in $(seq 5000); do echo "line $i"; done'], options());
    expect(result.outputs[0]?.tail).toMatch(/line 5000\n$/);
    expect(result.outputs[0]?.tail.length).toBeLessThan(4_100);
  });

  it('is stopped by its signal', async () => {
    const stop = new AbortController();
    const result = verify(['sleep 600'], options({ signal: stop.signal, log: () => stop.abort(new Error('no more')) }));
    await expect(result).rejects.toThrow('no more');
  });

  it('gives what a turn result takes', async () => {
    const { outputs: _, ...fields } = await verify(['true'], options());
    expect(turnResult.shape.verification.safeParse(fields).data).toEqual(fields);
  });
});
