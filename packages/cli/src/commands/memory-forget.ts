import type { Run } from '../command.ts';
import { keyArgument, withMemory } from '../memory.ts';
import { plainLine } from '../width.ts';

export const run: Run = async (input) => {
  const key = keyArgument(input.args);
  const answer = await withMemory(input, (memory, group) => memory.forget(group, key));
  const name = `"${plainLine(key)}"`;
  return { json: answer, text: answer['forgotten'] === false ? `There was no ${name}.` : `Forgot ${name}.` };
};
