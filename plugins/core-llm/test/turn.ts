import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCore, TurnWork } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../test/project.ts';
import { turnTools } from '../../../test/turn-tools.ts';
import { llmCore } from '../index.ts';
import { type Answer, type ModelServer, startServer } from './server.ts';
import type { Wire } from './wire.ts';

/** The key that the servers of these tests ask for. */
export const key = 'sk-secret-key-1234';

/** What came of a turn. */
export interface Played {
  readonly server: ModelServer;
  readonly workspace: string;
  readonly log: readonly string[];
  /** What the core rejected with. */
  readonly error: string | undefined;
  /** What is in the result file. */
  readonly result: Record<string, unknown> | undefined;
  /** What the tools have told the model. */
  readonly told: readonly string[];
  /** The text of a file of the workspace. */
  file(path: string): string;
}

/** How a turn differs from the usual one. */
export interface Setup {
  readonly files?: Readonly<Record<string, string>>;
  readonly bundle?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly turn?: Partial<TurnWork>;
  /** Makes the workspace what it should be. */
  readonly arrange?: (workspace: string) => void;
  /** Is called when the turn has begun. */
  readonly meanwhile?: (server: ModelServer) => void;
}

const core = llmCore.provides?.agentCore?.({}, {} as never) as AgentCore;

/** Plays a turn for real, with a model that answers what it is told to. */
export async function play(wire: Wire, answers: readonly Answer[], setup: Setup = {}): Promise<Played> {
  process.env['LLM_TEST_KEY'] = key;
  onTestFinished(() => {
    delete process.env['LLM_TEST_KEY'];
  });
  const server = await startServer(answers, wire.refuse);
  const workspace = folder(setup.files);
  setup.arrange?.(workspace);
  const log: string[] = [];
  const turn = turnIn(workspace, server.url, wire, log, setup);
  const working = core.run?.(turn);
  setup.meanwhile?.(server);
  const error = await working?.then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  const result = existsSync(turn.result_file) ? JSON.parse(readFileSync(turn.result_file, 'utf8')) : undefined;
  const last = server.asked.at(-1);
  const told = last === undefined ? [] : wire.toldBy(last);
  return { server, workspace, log, error, result, told, file: (path) => readFileSync(join(workspace, path), 'utf8') };
}

function turnIn(workspace: string, base_url: string, wire: Wire, log: string[], setup: Setup): TurnWork {
  const { bundle = { 'goal.md': 'Make it work\n', 'mandate.md': 'You write the code\n' } } = setup;
  const signal = setup.turn?.signal ?? new AbortController().signal;
  const given = {
    key: 'run/turn/1',
    run_id: 'run',
    turn_id: 'turn',
    attempt: 1,
    phase: 'implementation',
    role: 'developer',
    goal: 'Make it work',
    reviews: null,
    bundle: folder(bundle),
    workspace,
    result_file: join(folder(), 'result.json'),
    writes: ['src/**'],
    config: {
      provider: wire.provider,
      model: 'm',
      base_url,
      api_key_env: 'LLM_TEST_KEY',
      max_tokens: 1000,
      ...setup.config,
    },
    signal,
    log: (line: string) => void log.push(line),
    spent: () => {},
    ...setup.turn,
  };
  return { ...turnTools(given), ...given };
}
