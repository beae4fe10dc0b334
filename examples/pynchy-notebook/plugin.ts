import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemoryBackend, PynchyPlugin } from 'patchbay-sdk/pynchy';

interface Line {
  readonly key: string;
  readonly content: string | null;
  readonly category: string;
  readonly metadata: Record<string, unknown> | null;
}

/** A memory that a person can read: a file of JSON lines for each group, the last line of a key counts. */
export default class NotebookPlugin implements PynchyPlugin {
  readonly #dir: string;

  constructor({ dir = 'notebook' }: { readonly dir?: string } = {}) {
    this.#dir = dir;
  }

  pynchy_memory(): MemoryBackend {
    const file = (group: string) => join(this.#dir, `${encodeURIComponent(group)}.jsonl`);
    const write = (group: string, line: Line) => appendFile(file(group), `${JSON.stringify(line)}\n`);
    const entries = async (group: string, category: string | null) => {
      const text = await readFile(file(group), 'utf8').catch(() => '');
      const lines = text.split('\n').filter((line) => line !== '');
      const latest = new Map(lines.map((line) => JSON.parse(line) as Line).map((line) => [line.key, line]));
      return [...latest.values()].filter((one) => one.content !== null && (category ?? one.category) === one.category);
    };
    return {
      name: 'notebook',
      init: async () => void (await mkdir(this.#dir, { recursive: true })),
      close: async () => {},
      save: async (group, key, content, category, metadata) => {
        await write(group, { key, content, category, metadata });
        return { key };
      },
      recall: async (group, query, category, limit) => {
        const words = query.toLowerCase().split(/\s+/);
        const found = (await entries(group, category)).map((one) => {
          const text = `${one.key} ${one.content}`.toLowerCase();
          return { ...one, score: words.filter((word) => text.includes(word)).length };
        });
        return found
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score)
          .slice(0, limit);
      },
      forget: async (group, key) => {
        const known = (await entries(group, null)).some((one) => one.key === key);
        if (known) await write(group, { key, content: null, category: 'core', metadata: null });
        return { forgotten: known };
      },
      list_keys: async (group, category) =>
        (await entries(group, category)).map(({ key, category: its }) => ({ key, category: its })),
    };
  }
}
