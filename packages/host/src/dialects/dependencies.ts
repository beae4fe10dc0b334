import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names of the direct dependencies of a project, in the order of its package.json. */
export function dependencyNames(project: string): readonly string[] {
  const kinds = ['dependencies', 'optionalDependencies', 'devDependencies'];
  const own = jsonOf(join(project, 'package.json'));
  return [...new Set(kinds.flatMap((kind) => Object.keys((own?.[kind] ?? {}) as object)))];
}

/** What a file of JSON says; undefined if there is none, or if it is npm's business what is wrong with it. */
export function jsonOf(file: string): Record<string, unknown> | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
