import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MemoryEntry } from 'patchbay-sdk';
import { messageOf, PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { optional, problemOfEntry, withMemory } from '../memory.ts';

export const run: Run = async (input) => {
  const [name = ''] = input.args;
  const entries = readEntries(resolve(input.cwd, name));
  const imported = await withMemory(input, (memory, group, plugin) =>
    optional(memory, plugin, 'import')(group, entries),
  );
  return { json: { imported }, text: `Imported ${imported} ${imported === 1 ? 'entry' : 'entries'}.` };
};

/** The entries of a file that `memory export` printed, or that was written like it. Throws USAGE with all that is wrong. */
function readEntries(file: string): readonly MemoryEntry[] {
  let listed: unknown;
  try {
    listed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PatchbayError('USAGE', `${file}: ${messageOf(error)}`, { file });
  }
  if (!Array.isArray(listed)) throw new PatchbayError('USAGE', `${file}: must be a list of entries`, { file });
  const entries = listed.map((one: Partial<MemoryEntry> | null) => {
    const { key, content, category = 'core', metadata = null } = one ?? {};
    return { key, content, category, metadata };
  });
  const problems = entries.flatMap((entry, i) => {
    const message = problemOfEntry(entry);
    return message === undefined ? [] : [{ path: String(i), message }];
  });
  const [first] = problems;
  if (first === undefined) return entries as MemoryEntry[];
  const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more`;
  throw new PatchbayError('USAGE', `${file}: entry ${first.path}: ${first.message}${more}`, { file, problems });
}
