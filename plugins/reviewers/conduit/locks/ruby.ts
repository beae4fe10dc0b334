import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import { folderOf, within } from '../../workspace/paths.ts';
import { missing, told } from './told.ts';

/** The lock files of Bundler. */
export function* bundler(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)Gemfile$/.test(one))) {
    const lines = (workspace.text(path) ?? '').split('\n');
    const gems = lines.map((line) => /^\s*gem\s*\(?\s*["']([^"']+)["']/.exec(line)?.[1]);
    const lock = workspace.text(`${path}.lock`);
    if (lock === null) {
      if (gems.some((gem) => gem !== undefined) && !isLibrary(workspace, path, lines))
        yield missing(path, 'Gemfile.lock');
      continue;
    }
    for (const [at, gem] of gems.entries())
      if (gem !== undefined && !lock.includes(`    ${gem} (`))
        yield { ...told(path, at + 1, `Gemfile.lock is stale: it does not know ${gem}`), also: [`${path}.lock`] };
  }
}

function isLibrary(workspace: Workspace, path: string, lines: readonly string[]): boolean {
  const beside = within(folderOf(path), '');
  return (
    lines.some((line) => /^\s*gemspec\b/.test(line)) ||
    workspace.paths.some((one) => one.startsWith(beside) && /^[^/]+\.gemspec$/.test(one.slice(beside.length)))
  );
}
