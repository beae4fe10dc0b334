import { matchesGlob } from 'node:path';

/**
 * Whether a role may write to a path (relative, with `/`), by its globs: `*` stays within a folder, `**` does not, both match names that
 * begin with a dot; a name without wildcards means the file, or the folder with all in it. The host judges by the
 * same rule what was changed in the end; this one is to tell the model early.
 */
export function inScope(path: string, writes: readonly string[]): boolean {
  const shown = path.normalize().replace(/(?<=^|\/)\./g, dot);
  return writes.flatMap(globsOf).some((glob) => matchesGlob(shown, glob));
}

/** Stands for the dot that a name begins with: wildcards of `matchesGlob` do not match such names. */
const dot = '\uE000';

function globsOf(pattern: string): string[] {
  const path = pattern.normalize().replace(/^(?:\.\/+)+/, '');
  const folder = path.replace(/\/+$/, '').replace(/(?<=^|[/{,(|[!])\./g, dot);
  const below = `${folder}/**`;
  if (path.endsWith('/')) return [below];
  return /[*?[]|[!+@]\(/.test(folder) ? [folder] : [folder, below];
}
