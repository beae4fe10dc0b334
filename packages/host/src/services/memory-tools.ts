import { type MemoryCategory, memoryLimits, type ServiceRequest, type ToolTrait } from 'patchbay-sdk';
import type { OpenMemory } from '../capabilities/index.ts';
import type { Tool } from './tool.ts';

/** The group of turns that are in no workspace. */
const noWorkspace = 'project';
const usualLimit = 10;

const text = (most: number, description: string) => ({ type: 'string', minLength: 1, maxLength: most, description });
const key = text(memoryLimits.key, 'what it is known by; saving under the same key corrects it');
const category = {
  enum: ['core', 'daily', 'conversation'],
  description: 'core is kept, daily expires, conversation is archived by itself',
};
const limit = { type: 'integer', minimum: 1, maximum: memoryLimits.atOnce };

interface Row {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly traits: readonly ToolTrait[];
  readonly run: (memory: OpenMemory['memory'], group: string, request: ServiceRequest) => Promise<unknown>;
}

const rows: readonly Row[] = [
  {
    name: 'memory_save',
    description: 'Keeps something for later conversations.',
    properties: {
      key,
      content: text(memoryLimits.content, 'what is to be remembered'),
      category: { ...category, default: 'core' },
      metadata: { type: ['object', 'null'], description: 'what else belongs to it' },
    },
    required: ['key', 'content'],
    traits: [],
    run: (memory, group, { key, content, category = 'core', metadata = null }) =>
      memory.save(
        group,
        key as string,
        content as string,
        category as MemoryCategory,
        metadata as Record<string, unknown> | null,
      ),
  },
  {
    name: 'memory_recall',
    description: 'Finds what was kept, the best match first. Any text is a query.',
    properties: { query: { type: 'string' }, category, limit: { ...limit, default: usualLimit } },
    required: ['query'],
    traits: ['reads-private'],
    run: (memory, group, { query, category = null, limit = usualLimit }) =>
      memory.recall(group, query as string, category as MemoryCategory | null, limit as number),
  },
  {
    name: 'memory_forget',
    description: 'Lets go of something that was kept.',
    properties: { key },
    required: ['key'],
    traits: [],
    run: (memory, group, { key }) => memory.forget(group, key as string),
  },
  {
    name: 'memory_list',
    description: 'What is kept, by key, what changed last first.',
    properties: { category, limit, offset: { type: 'integer', minimum: 0 } },
    required: [],
    traits: ['reads-private'],
    run: async (memory, group, { category = null, limit = memoryLimits.atOnce, offset = 0 }) => {
      const page = { limit: limit as number, offset: offset as number };
      const keys = await memory.listKeys(group, category as MemoryCategory | null, page);
      // One that knows no pages gives more than was asked for.
      return keys.slice(0, page.limit);
    },
  },
];

/** The tools by which a turn reaches the memory of its workspace, whichever plugin that is of. */
export function memoryTools({ memory, plugin }: OpenMemory, workspace: string | null): Tool[] {
  return rows.map(({ name, description, properties, required, traits, run }) => ({
    name,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    source: { kind: 'memory', name: plugin },
    traits,
    usualTier: 'always-approve',
    run: async (request) => ({ result: await run(memory, workspace ?? noWorkspace, request) }),
  }));
}
