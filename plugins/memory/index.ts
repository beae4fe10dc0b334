export type { Earlier, Entry, Listed, NewEntry, Recalled, Retention } from './entry.ts';
export { type MemoryOptions, SqliteMemory } from './memory.ts';
