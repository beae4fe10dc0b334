import type { Run } from '../command.ts';
import { categoryOption, limitOption, shownContent, shownField, withMemory } from '../memory.ts';

export const run: Run = async (input) => {
  const [query = ''] = input.args;
  const category = categoryOption(input) ?? null;
  const limit = limitOption(input) ?? 10;
  const found = await withMemory(input, (memory, group) => memory.recall(group, query, category, limit));
  const texts = found.map((entry) => {
    return shownContent(entry, `${shownField(entry, 'key')} (${shownField(entry, 'category')})`);
  });
  return { json: found, text: texts.length === 0 ? 'Nothing was found.' : texts.join('\n') };
};
