import { writeFileSync } from 'node:fs';
import { definePlugin, type TurnWork } from 'patchbay-sdk';
import { type Assistant, ChatTurns, startAssistant } from '../../packages/host/src/assistant/index.ts';
import { workspaceOf } from '../../packages/host/src/config/workspace.ts';
import { openHost } from '../../packages/host/src/host.ts';
import type { Service } from '../../packages/host/src/service.ts';
import { write } from '../deliveries/project.ts';

/** A host that talks with people, whose core does next to nothing. */
export interface Talking {
  readonly assistant: Assistant;
  readonly service: Service;
  /** Says something to the workspace of a number, at the terminal. */
  say(workspace: number, id: string): Promise<void>;
}

/** The chat of the workspace of a number. */
export function chatOf(workspace: number): string {
  return `terminal:w${workspace}`;
}

/** Does something with such a host, in a project that is made. `begun` hears of each turn as its core is called. */
export async function talking<T>(
  dir: string,
  workspaces: number,
  begun: (turn: TurnWork) => void,
  act: (host: Talking) => Promise<T>,
): Promise<T> {
  write(dir, { 'patchbay.yaml': 'runs:\n  core: noop\n' });
  const all = Array.from({ length: workspaces }, (_, i) => workspaceOf(`w${i}`, {}, 'terminal'));
  const host = await openHost({ cwd: dir, version: '0.1.0', builtins: [core(begun)] });
  try {
    const service = await host.start();
    const assistant = await startAssistant({
      ...service,
      kernel: host.kernel,
      project: dir,
      settings: { name: 'Bay', channel: 'terminal', atOnce: 4 },
      workspaces: () => all,
      turns: new ChatTurns(),
      warn: (message) => process.stderr.write(`${message}\n`),
    });
    const say = (workspace: number, id: string) => {
      const timestamp = new Date().toISOString();
      return assistant.take(chatOf(workspace), { id, sender: 'ada', senderName: 'Ada', content: id, timestamp });
    };
    try {
      return await act({ assistant, service, say });
    } finally {
      await assistant.close();
    }
  } finally {
    await host.close();
  }
}

function core(begun: (turn: TurnWork) => void) {
  const run = async (turn: TurnWork) => {
    begun(turn);
    writeFileSync(turn.result_file, JSON.stringify({ summary: turn.goal }));
  };
  return definePlugin({ name: 'core-noop', version: '1.0.0', provides: { agentCore: () => ({ name: 'noop', run }) } });
}
