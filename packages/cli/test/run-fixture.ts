import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, vi } from 'vitest';
import type { Stage } from '../../../test/flows/stage.ts';
import { bin, cleanEnv, type Ended, patchbay } from './command.ts';

/** What the commands about runs print with `--json`. */
export interface RunJson {
  readonly run_id: string;
  readonly template: string;
  readonly status: string;
  readonly turns: readonly { turn_id: string; role: string; phase: string; attempt: number; state: string }[];
  readonly gates: readonly { name: string; state: string }[];
  readonly reason?: string;
}

/** Calls a command in the project of a stage. */
export function call({ dir }: Stage, ...args: string[]): Ended {
  return patchbay(args, { cwd: dir });
}

/** Calls a command with `--json`, expects how it ends, and gives what it printed. */
export function json<T = RunJson>(stage: Stage, exit: number, ...args: string[]): T {
  const { stdout, stderr, status } = call(stage, ...args, '--json');
  expect({ stderr, status, stdout }).toEqual({ stderr: '', status: exit, stdout: expect.any(String) });
  return JSON.parse(stdout) as T;
}

/** Begins the run of a stage. */
export function begin(stage: Stage, exit: number, ...more: string[]): RunJson {
  return json(stage, exit, 'run', '--template', 'flow', '--input', 'Make it work', ...more);
}

/** A command that is under way. */
export interface UnderWay {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts a command, which is killed at the end of the test if it has not ended. */
export function start({ dir }: Stage, ...args: string[]): UnderWay {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: dir,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = new Promise<Ended>((resolve) => child.on('close', (status) => resolve({ ...text, status })));
  return { child, ended };
}

/** Waits until a file of the project is there. */
export async function appears(stage: Stage, path: string): Promise<void> {
  await vi.waitFor(() => expect(existsSync(stage.file(path))).toBe(true), { timeout: 60_000 });
}

/** The types of what has happened, from the ledger. */
export function typesOf(stage: Stage, ...args: string[]): string[] {
  return call(stage, 'events', '--json', ...args)
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { type: string }).type);
}
