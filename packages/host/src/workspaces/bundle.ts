import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { walk } from './walk.ts';

/** What is handed to an agent with its turn, and how it is known that it is still the same. */
export interface SealedBundle {
  readonly path: string;
  /** Sorted by path. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** Over the list of files: the same for the same files, wherever they are. */
  readonly sha256: string;
}

/**
 * Writes the files of a bundle, by their relative paths, into a folder that nobody can write to. Whatever was there is
 * replaced. Throws INTERNAL for a path that leads out of the folder.
 */
export function sealBundle(dir: string, files: Readonly<Record<string, string>>): SealedBundle {
  const paths = Object.keys(files).sort();
  const wrong = paths.find((path) => posix.normalize(path) !== path || /^(?:\/|\.\.?(?:\/|$))|\\|^$/.test(path));
  if (wrong !== undefined) throw new PatchbayError('INTERNAL', `"${wrong}" is no path in a bundle`);
  const next = `${dir}.next`;
  removeBundle(next);
  mkdirSync(next, { recursive: true });
  for (const path of paths) {
    const file = join(next, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, files[path] ?? '', { mode: 0o444 });
  }
  removeBundle(dir);
  renameSync(next, dir);
  const folders = new Set(paths.flatMap(foldersOf));
  for (const folder of [...folders, '']) chmodSync(join(dir, folder), 0o555);
  return manifest(
    dir,
    paths.map((path) => ({ path, sha256: hash(files[path] ?? '') })),
  );
}

/**
 * Whether a bundle still is what was sealed: the same files, no more and no less, with the same content. Never throws.
 */
export function verifyBundle(dir: string, sealed: SealedBundle): boolean {
  try {
    if (lstatSync(dir).isSymbolicLink()) return false;
    const found = walk(dir);
    if (!found.every(({ isFile }) => isFile)) return false;
    const paths = found.map(({ file }) => relative(dir, file).split(sep).join('/')).sort();
    const now = manifest(
      dir,
      paths.map((path) => ({ path, sha256: hash(readFileSync(join(dir, path))) })),
    );
    return now.sha256 === sealed.sha256 && now.sha256 === manifest(dir, sealed.files).sha256;
  } catch {
    return false;
  }
}

/** Removes a bundle, which takes more than removing a folder: its folders cannot be written to. */
export function removeBundle(dir: string): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    chmodSync(dir, 0o755);
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (entry.isDirectory()) removeBundle(join(dir, entry.name));
    }
  }
  rmSync(dir, { recursive: true, force: true });
}

function manifest(path: string, files: SealedBundle['files']): SealedBundle {
  return { path, files, sha256: hash(JSON.stringify(files.map((file) => [file.path, file.sha256]))) };
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function foldersOf(path: string): string[] {
  const above = posix.dirname(path);
  return above === '.' ? [] : [above, ...foldersOf(above)];
}
