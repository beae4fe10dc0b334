import type { Run } from '../command.ts';
import { categoryOption, limitOption, shownField, withMemory } from '../memory.ts';
import { columns } from '../text.ts';

export const run: Run = async (input) => {
  const category = categoryOption(input) ?? null;
  const limit = limitOption(input);
  const all = await withMemory(input, (memory, group) =>
    limit === undefined ? memory.listKeys(group, category) : memory.listKeys(group, category, { limit }),
  );
  const listed = all.slice(0, limit);
  const rows = listed.map((entry) => ['key', 'category', 'updated_at'].map((name) => shownField(entry, name)));
  return { json: listed, text: rows.length === 0 ? 'Nothing is kept.' : columns(rows) };
};
