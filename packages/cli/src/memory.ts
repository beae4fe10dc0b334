import { openMemory } from 'patchbay-host';
import { type Memory, type MemoryCategory, type MemoryEntry, memoryLimits, PatchbayError } from 'patchbay-sdk';
import { beside } from './carry-on.ts';
import type { Input } from './command.ts';
import { countOption } from './ledger.ts';
import { plainLine } from './width.ts';

const categories: readonly string[] = ['core', 'daily', 'conversation'] satisfies MemoryCategory[];

/** Lets `act` work with the memory of a workspace, as whichever plugin won keeps it. Throws PROJECT_MISSING, USAGE. */
export function withMemory<T>(
  input: Input,
  act: (memory: Memory, group: string, plugin: string) => Promise<T>,
): Promise<T> {
  const group = workspaceOf(input);
  return beside(input, async ({ kernel, project }) => {
    if (project === undefined) {
      throw new PatchbayError('PROJECT_MISSING', `there is no project in ${input.cwd} nor above it`);
    }
    const opened = await openMemory(kernel, project.dir);
    if (opened === undefined) throw new PatchbayError('PLUGIN_UNKNOWN', 'no plugin brings a memory');
    const { memory, plugin, passedOver } = opened;
    for (const { message } of passedOver) input.progress(`warning: ${message}; the memory of "${plugin}" is used`);
    let result: T;
    try {
      result = await act(memory, group, plugin);
    } catch (error) {
      // What went wrong first is what the user should hear of.
      await memory.close().catch(() => {});
      throw error;
    }
    await memory.close();
    return result;
  });
}

/** A member that not every memory has. Throws USAGE if this one does not. */
export function optional<M extends 'history' | 'export' | 'import'>(
  memory: Memory,
  plugin: string,
  member: M,
): NonNullable<Memory[M]> {
  const it = memory[member];
  if (it !== undefined) return it as NonNullable<Memory[M]>;
  throw new PatchbayError('USAGE', `the memory of plugin "${plugin}" cannot do this: it has no "${member}"`, {
    plugin,
    hook: 'memory',
    hint: 'Ask its author, or disable it to use the memory that comes with Patchbay.',
  });
}

/** The workspace that the user named. Throws USAGE on one without a name. */
export function workspaceOf({ options }: Input): string {
  const name = String(options['workspace'] ?? 'default');
  if (name === '') throw new PatchbayError('USAGE', '--workspace: must have a name');
  return name;
}

/** The category that the user named, if any. Throws USAGE. */
export function categoryOption({ options }: Input): MemoryCategory | undefined {
  const value = options['category'];
  if (value === undefined || categories.includes(String(value))) return value as MemoryCategory | undefined;
  throw new PatchbayError('USAGE', `--category ${String(value)}: must be ${categories.join(', ')}`);
}

/** How many entries the user wants, if that was said. Throws USAGE. */
export function limitOption({ options }: Input): number | undefined {
  const limit = countOption('limit', options['limit']);
  if (limit === undefined || limit <= memoryLimits.atOnce) return limit;
  throw new PatchbayError('USAGE', `--limit ${limit}: must be ${memoryLimits.atOnce} at most`);
}

/** What is wrong with an entry, in words; undefined if nothing is. */
export function problemOfEntry({ key, content, category, metadata }: Record<keyof MemoryEntry, unknown>) {
  if (typeof key !== 'string' || key === '') return 'the key must be a text that is not empty';
  if (key.length > memoryLimits.key) return `the key is longer than ${memoryLimits.key} characters`;
  if (typeof content !== 'string' || content === '') return 'the content must be a text that is not empty';
  if (content.length > memoryLimits.content) return `the content is longer than ${memoryLimits.content} characters`;
  if (!categories.includes(String(category))) return `the category must be ${categories.join(', ')}`;
  if (typeof metadata !== 'object' || Array.isArray(metadata)) return 'the metadata must be a JSON object';
  return undefined;
}

/** A key that the user gave. Throws USAGE. */
export function keyArgument([key = '']: readonly string[]): string {
  const problem = problemOfEntry({ key, content: '-', category: 'core', metadata: null });
  if (problem === undefined) return key;
  throw new PatchbayError('USAGE', problem);
}

/** A field of what a memory answers, for people; empty if it has none. */
export function shownField(entry: object, name: string): string {
  const value = (entry as Record<string, unknown>)[name];
  return value === undefined || value === null ? '' : plainLine(String(value));
}

/** A heading with the content of an entry below it. */
export function shownContent(entry: object, heading: string): string {
  const content = String((entry as { content?: unknown }).content ?? '');
  return [heading, ...content.split('\n').map((line) => `  ${plainLine(line)}`.trimEnd())].join('\n');
}
