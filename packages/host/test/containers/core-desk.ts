import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCore, TurnWork } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { TurnPrograms } from '../../src/runs/turn-programs.ts';
import { checkedCost } from '../../src/runs/validate.ts';
import type { Den } from './fixture.ts';
import { workspaceWith } from './settings.ts';

/** What a turn was told. */
export interface Told {
  readonly logged: string[];
  readonly traced: [string, string][];
  readonly spent: unknown[];
  readonly called: [string, unknown][];
}

/** A turn in a den, whose programs run where its containers say, until the test is over. */
export function turnIn(den: Den, core: AgentCore, signal = new AbortController().signal): TurnWork & { told: Told } {
  const told: Told = { logged: [], traced: [], spent: [], called: [] };
  const bundle = join(den.attempt, 'bundle');
  mkdirSync(bundle, { recursive: true });
  const { env, readOnly = [], writable = [], hidden = [] } = den.job([]);
  const programs = new TurnPrograms({
    launcher: den.launcher,
    dir: den.workspace,
    env,
    guard: { readOnly, writable, hidden },
    silenceMs: undefined,
    timeoutMs: 60_000,
    signal,
    prepare: (job) => den.containers.surround({ run_id: 'r1', turn_id: 't1', bundle, core }, workspaceWith(), job),
    printed: () => {},
    ended: () => {},
  });
  onTestFinished(() => programs.close());
  return {
    told,
    key: 'r1/t1/1',
    run_id: 'r1',
    turn_id: 't1',
    attempt: 1,
    phase: 'answer',
    role: 'assistant',
    goal: 'say hello',
    reviews: null,
    bundle,
    workspace: den.workspace,
    result_file: join(den.attempt, 'result.json'),
    writes: ['**'],
    config: { model: 'small' },
    signal,
    log: (line) => void told.logged.push(line),
    spent: (cost) => void told.spent.push(checkedCost(cost)),
    mayWrite: (path) => path === 'note.txt',
    exec: (argv, options) => programs.exec(argv, options),
    spawn: (argv, options) => programs.spawn(argv, options),
    chat: { jid: 'terminal:den', workspace: 'den', history: [{ sender: 'ann', text: 'hi', is_bot: false }] },
    trace: (kind, text) => void told.traced.push([kind, text]),
    tools: async () => [{ name: 'add', description: 'adds', inputSchema: {} }],
    callTool: async (name, input) => {
      told.called.push([name, input]);
      return { result: Number(input['a']) + Number(input['b']) };
    },
    mcp: () => Promise.reject(new Error('there are no tools here')),
    llmProviders: async () => [],
  };
}
