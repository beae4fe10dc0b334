import { dynamicTool, jsonSchema, type ToolSet } from 'ai';
import type { TurnWork } from 'patchbay-sdk';
import { cutMiddle } from '../cut.ts';

/** The most of an answer that the model sees. */
const mostCharacters = 64_000;
/** Providers take no other names. */
const usable = /^[\w-]{1,64}$/;

/** The tools of plugins and servers, which the host lets through or not; those that have the name of another one are left out. */
export async function serviceTools(turn: TurnWork, taken: ReadonlySet<string>): Promise<ToolSet> {
  const tools: ToolSet = {};
  for (const { name, description, inputSchema } of await turn.tools()) {
    if (!usable.test(name) || taken.has(name)) {
      turn.log(`the tool ${name} cannot be offered to the model by this name`);
      continue;
    }
    tools[name] = dynamicTool({
      description,
      inputSchema: jsonSchema({ ...inputSchema, type: 'object' }),
      execute: async (input) => {
        const response = await turn.callTool(name, input as Record<string, unknown>);
        if ('error' in response) throw new Error(response.error);
        const { result } = response;
        return cutMiddle(typeof result === 'string' ? result : JSON.stringify(result), mostCharacters);
      },
    });
  }
  return tools;
}
