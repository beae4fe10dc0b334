import type { TurnWork } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { environmentOf } from '../packages/host/src/runs/confinement.ts';
import { TurnPrograms } from '../packages/host/src/runs/turn-programs.ts';
import { Launcher } from '../packages/host/src/sandbox/launcher.ts';
import { mayWrite, type Workspace } from '../packages/host/src/workspaces/index.ts';

/** What the tools of a turn depend on. */
type About = Pick<TurnWork, 'workspace' | 'writes' | 'reviews' | 'config' | 'signal'>;

/**
 * What a host gives a core to work with: programs, and the rule of what may be written. Programs are confined to process groups,
 * so that the ids of processes are those that everybody sees; all of them are gone when the test is over.
 */
export function turnTools({ workspace, writes, reviews, config, signal }: About) {
  const launcher = new Launcher({ project: workspace, namespace: 'off' });
  onTestFinished(() => launcher.close());
  const programs = new TurnPrograms({
    launcher,
    dir: workspace,
    env: environmentOf(process.env, config),
    guard: {},
    silenceMs: undefined,
    timeoutMs: 60_000,
    signal,
    printed: () => {},
    ended: () => {},
  });
  const ws = { kind: 'worktree', repository: null } as Workspace;
  return {
    mayWrite: (path) => reviews === null && mayWrite(ws, writes, path),
    exec: (argv, options) => programs.exec(argv, options),
    spawn: (argv, options) => programs.spawn(argv, options),
    llmProviders: async () => [],
    chat: null,
    trace: () => {},
    tools: async () => [],
    callTool: async (name) => ({ error: `there is no tool "${name}"` }),
    mcp: () => Promise.reject(new Error('there are no tools here')),
  } satisfies Partial<TurnWork>;
}
