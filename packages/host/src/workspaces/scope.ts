import { isAbsolute } from 'node:path';
import { Minimatch } from 'minimatch';
import type { Change } from './change.ts';
import { protectedIn } from './protected.ts';
import type { Workspace } from './workspace.ts';

/**
 * The changes that a role was not allowed to make. Its globs are relative to the workspace; `*` stays within a folder,
 * `**` does not, both match names that begin with a dot; a name without wildcards means the file, or the folder with
 * all in it. A renamed file needs both names; what is special is in nobody's scope.
 */
export function outside(changes: readonly Change[], writes: readonly string[]): Change[] {
  const globs = writes.flatMap(globsOf);
  const covered = (path: string) => !isAbsolute(path) && globs.some((glob) => glob.match(path.normalize()));
  return changes.filter(({ path, from, special }) => {
    return special !== null || !covered(path) || (from !== null && !covered(from));
  });
}

/** Whether a role could change a file, by its path in the workspace, without the change being one of those. */
export function mayWrite(ws: Workspace, writes: readonly string[], path: string): boolean {
  const isKept = /(?:^|\/)\.git(?:\/|$)/i.test(path) || protectedIn(ws, (ws.repository?.prefix ?? '') + path);
  const special = isKept ? 'protected' : null;
  return outside([{ path, kind: 'modified', from: null, special }], writes).length === 0;
}

function globsOf(pattern: string): Minimatch[] {
  const path = pattern.normalize().replace(/^(?:\.\/+)+/, '');
  const folder = path.replace(/\/+$/, '');
  const make = (glob: string) => new Minimatch(glob, { dot: true, nonegate: true, nocomment: true, platform: 'linux' });
  const plain = make(folder);
  const below = path !== folder || !plain.hasMagic() ? [make(`${folder}/**`)] : [];
  return path === folder ? [plain, ...below] : below;
}
