import { join } from 'node:path';
import { definePlugin } from 'patchbay-sdk';
import { SqliteMemory } from './memory.ts';

/** The memory of a project in `.patchbay/memory`: the one that is used where no other plugin brings one. */
export const memoryPlugin = definePlugin({
  name: 'memory-sqlite',
  version: '1.0.0',
  hooks: {
    memory: {
      // The plugins of other dialects come after ours otherwise, and would never be asked.
      trylast: true,
      handler: ({ project }, { defer }) => {
        const memory = new SqliteMemory({ dir: join(project, '.patchbay', 'memory') });
        defer(() => memory.close());
        return memory;
      },
    },
  },
});

export type { Earlier, Entry, Listed, NewEntry, Recalled, Retention } from './entry.ts';
export { type MemoryOptions, SqliteMemory } from './memory.ts';
