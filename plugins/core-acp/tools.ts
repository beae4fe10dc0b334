import type { McpServer } from '@agentclientprotocol/sdk';
import type { TurnWork } from 'patchbay-sdk';
import type { ToolCall } from './update.ts';

/** What agents know the tools of a turn by. */
const name = 'patchbay';

/** Where an agent reaches the tools of its turn: nowhere if there are none. */
export async function toolServers(turn: TurnWork, takesHttp: boolean): Promise<McpServer[]> {
  if ((await turn.tools()).length === 0) return [];
  const { url, token, command } = await turn.mcp();
  if (takesHttp) {
    const headers = [{ name: 'Authorization', value: `Bearer ${token}` }];
    return [{ type: 'http', name, url, headers }];
  }
  const [program = '', ...args] = command;
  return [{ name, command: program, args, env: [] }];
}

/** Whether a call is one of those tools: the host has its own policy for them, which knows more than the agent says here. */
export function isToolOfTurn({ title, kind, content, locations }: ToolCall): boolean {
  const touchesNothing = (content ?? []).length === 0 && (locations ?? []).length === 0;
  const isOther = kind === undefined || kind === null || kind === 'other';
  return isOther && touchesNothing && /^mcp__patchbay__[\w-]+$/.test(title ?? '');
}
