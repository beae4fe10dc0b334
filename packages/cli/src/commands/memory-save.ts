import { messageOf, PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { categoryOption, problemOfEntry, withMemory } from '../memory.ts';
import { plainLine } from '../width.ts';

export const run: Run = async (input) => {
  const [key = '', content = ''] = input.args;
  const category = categoryOption(input) ?? 'core';
  const metadata = metadataOption(input.options['metadata']);
  const problem = problemOfEntry({ key, content, category, metadata });
  if (problem !== undefined) throw new PatchbayError('USAGE', problem);
  const saved = await withMemory(input, (memory, group) => memory.save(group, key, content, category, metadata));
  const did = saved['updated'] === true ? 'Corrected' : 'Saved';
  return { json: saved, text: `${did} "${plainLine(key)}" (${category}).` };
};

/** What is no object is told by the check of the entry. */
function metadataOption(value: unknown): Record<string, unknown> | null {
  if (value === undefined) return null;
  try {
    const metadata: unknown = JSON.parse(String(value));
    if (metadata !== null) return metadata as Record<string, unknown>;
  } catch (error) {
    throw new PatchbayError('USAGE', `--metadata ${String(value)}: is no JSON: ${messageOf(error)}`);
  }
  return null;
}
