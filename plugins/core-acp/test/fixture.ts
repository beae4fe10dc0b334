import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCore, TurnWork } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../test/project.ts';
import { turnTools } from '../../../test/turn-tools.ts';
import plugin from '../index.ts';

const core = (plugin.provides?.agentCore as (() => AgentCore) | undefined)?.();

/** A turn to work on, and what came of it. */
export interface Trial {
  readonly turn: TurnWork;
  readonly log: string[];
  /** Lets the core work on it; ends when the core has. */
  run(): Promise<void>;
  /** The text of a file in the workspace; null if there is none. */
  file(name: string): string | null;
  /** What was handed in; null if nothing was. */
  result(): Record<string, unknown> | null;
  /** The summary of what was handed in, where it is a list. */
  answers(): unknown[];
}

const bundled = {
  'bundle/turn.json': JSON.stringify({ title: 'Developer', verify: ['npm test'], feedback: ['the test is red'] }),
  'bundle/mandate.md': 'Mend what is broken.\n',
  'bundle/decisions.json': '[]\n',
  'bundle/objections.json': '[]\n',
};

/** A turn in folders of its own, for the fake agent that plays this scene. */
export function trial(scene: string, changes: Partial<TurnWork> = {}, config: Record<string, unknown> = {}): Trial {
  return trialOf([process.execPath, join(import.meta.dirname, 'agent', 'main.ts'), scene], changes, config);
}

/** A turn in folders of its own, for this program. */
export function trialOf(
  command: unknown,
  changes: Partial<TurnWork> = {},
  config: Record<string, unknown> = {},
): Trial {
  const dir = folder({ ...bundled, 'workspace/src/a.txt': 'one\ntwo\nthree\n', 'workspace/README.md': 'Read me\n' });
  const log: string[] = [];
  const workspace = join(dir, 'workspace');
  const result_file = join(dir, 'result.json');
  const never = new AbortController();
  const given = {
    key: 'run/turn/1',
    run_id: 'run',
    turn_id: 'turn',
    attempt: 1,
    phase: 'implementation',
    role: 'dev',
    goal: 'Make the test pass',
    reviews: null,
    bundle: join(dir, 'bundle'),
    workspace,
    result_file,
    writes: ['src/**'],
    config: { command, ...config },
    signal: never.signal,
    log: (line: string) => void log.push(line),
    spent: () => {},
    ...changes,
  };
  const turn: TurnWork = { ...turnTools(given), ...given };
  const text = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  const result = () => JSON.parse(text(result_file) ?? 'null') as Record<string, unknown> | null;
  return {
    turn,
    log,
    run: async () => core?.run?.(turn),
    file: (name) => text(join(workspace, name)),
    result,
    answers: () => result()?.['summary'] as unknown[],
  };
}

/** Whether a process is there and has not ended: one that ended may wait for its parent to look. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^Z/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** Sets a variable of this process until the test is over. */
export function setVariable(name: string, value: string): void {
  process.env[name] = value;
  onTestFinished(() => {
    delete process.env[name];
  });
}
