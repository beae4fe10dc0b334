import type { Run } from '../command.ts';
import { optional, withMemory } from '../memory.ts';

export const run: Run = async (input) => {
  const all = await withMemory(input, (memory, group, plugin) => optional(memory, plugin, 'export')(group));
  return { json: all, text: JSON.stringify(all, undefined, 2) };
};
