import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { withServers } from '../mcp.ts';
import { plainLine } from '../width.ts';

export const run: Run = async (input) => {
  const [name = '', tool = '', given = '{}'] = input.args;
  const answer = await withServers(input, ({ call }) => call(name, tool, objectOf(given)));
  if ('error' in answer) return { json: answer, text: `error: ${shown(answer.error)}`, exitCode: 1 };
  return { json: answer, text: shown(answer.result) };
};

/** What the user gave as input. Throws USAGE. */
function objectOf(given: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch (error) {
    throw new PatchbayError('USAGE', `the input is not JSON: ${messageOf(error)}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new PatchbayError('USAGE', 'the input must be a JSON object, as in {"query":"door"}');
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return text.split('\n').map(plainLine).join('\n');
}
