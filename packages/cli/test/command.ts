import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from '../../../test/project.ts';
import { storeEnv } from '../../../test/store.ts';

/** The built command, as npm links it. */
export const bin = join(root, 'packages/cli/bin/patchbay.cjs');

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** Nothing of the tests' own environment but where programs and homes are. */
export function cleanEnv(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], ...storeEnv(), ...more };
}

interface Where {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** For Node itself. */
  readonly flags?: readonly string[];
  readonly node?: string;
  readonly script?: string;
}

/** Runs the command as a user does. */
export function patchbay(args: readonly string[], where: Where = {}): Ended {
  const { cwd = tmpdir(), env, flags = [], node = process.execPath, script = bin } = where;
  const { stdout, stderr, status } = spawnSync(node, [...flags, script, ...args], {
    cwd,
    env: cleanEnv(env),
    encoding: 'utf8',
    timeout: 90_000,
  });
  return { stdout, stderr, status };
}

/** Expects one line on standard error, and nothing else anywhere. */
export function expectError(ended: Ended, exit: number, code: string, message: RegExp): void {
  expect(ended.stdout).toBe('');
  expect(ended.stderr).toMatch(/^error [A-Z_]+: .+; .+\n$/);
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).toContain(`error ${code}: `);
  expect(ended.status).toBe(exit);
}

/** Expects one JSON document on standard output, and nothing on standard error. Gives the error in it. */
export function expectJsonError(ended: Ended, exit: number, code: string, message: RegExp): unknown {
  expect(ended.stderr).toBe('');
  const { error, ...rest } = JSON.parse(ended.stdout) as { error?: unknown };
  expect(rest).toEqual({});
  expect(error).toMatchObject({ code, message: expect.stringMatching(message), hint: expect.stringMatching(/./) });
  expect(ended.status).toBe(exit);
  return error;
}
