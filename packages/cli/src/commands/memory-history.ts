import type { Run } from '../command.ts';
import { keyArgument, optional, shownContent, shownField, withMemory } from '../memory.ts';

export const run: Run = async (input) => {
  const key = keyArgument(input.args);
  const earlier = await withMemory(input, (memory, group, plugin) => optional(memory, plugin, 'history')(group, key));
  const texts = earlier.map((entry) => {
    return shownContent(entry, `until ${shownField(entry, 'until')} (${shownField(entry, 'category')})`);
  });
  return { json: earlier, text: texts.length === 0 ? 'It was never changed.' : texts.join('\n') };
};
