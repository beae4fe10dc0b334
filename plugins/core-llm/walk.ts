import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isProtected, type Place, type Workspace } from './workspace.ts';

/** Every file of a folder, or the one file: the near ones first, links and installed packages left out. */
export async function* filesIn(
  { root }: Workspace,
  { file, path }: Place,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if ((await stat(file)).isFile()) {
    yield path;
    return;
  }
  const folders = [path];
  for (const folder of folders) {
    signal.throwIfAborted();
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isProtected(inner) || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) folders.push(inner);
      else if (entry.isFile()) yield inner;
    }
  }
}
