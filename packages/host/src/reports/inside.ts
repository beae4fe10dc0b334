import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { writeWhole } from '../workspaces/index.ts';

/** Where the host and git keep what nobody else may change. */
const reserved = ['.git', '.patchbay', '.agentxchain'];
const mostBytes = 16 * 1024 * 1024;

/** Where a file of the project is. Throws an Error for a path that leads out of it, or to what is not for reports. */
function placeOf(project: string, path: string): string {
  const parts = path.split(/[\\/]/);
  if (path === '' || isAbsolute(path) || parts.some((part) => part === '..' || part === '')) {
    throw new Error(`"${path}" does not stay inside the project`);
  }
  if (reserved.includes((parts[0] ?? '').toLowerCase())) throw new Error(`"${path}" is not for reports`);
  let place = project;
  for (const part of parts) {
    place = join(place, part);
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`"${path}" leads over a link`);
  }
  return place;
}

/** The text of a file of the project; null if it is not there. Throws as `writeInside`. */
export function readInside(project: string, path: string): string | null {
  try {
    return readFileSync(placeOf(project, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a file of the project, whole or not at all. Throws an Error if it would not be one, or cannot be written. */
export function writeInside(project: string, path: string, text: string): void {
  const place = placeOf(project, path);
  if (text.length > mostBytes) throw new Error(`"${path}" would be larger than ${mostBytes} bytes`);
  mkdirSync(dirname(place), { recursive: true });
  writeWhole(place, text, 0o644);
}
