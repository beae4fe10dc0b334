import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fieldsOf, PatchbayError, type Problem, problemsOf, type Schema, suggestion } from 'patchbay-sdk';
import { formOf } from './forms.ts';
import { readJson } from './json.ts';
import type { Manifest } from './manifest-type.ts';
import { packageForm } from './schemas.ts';

/** Where a manifest may stand; the first of them that is one counts. */
const fileNames = ['agentxchain-plugin.json', 'plugin.json', 'package.json'];

/**
 * Reads the manifest of the package in `dir`. Throws MANIFEST_MISSING if there is none, MANIFEST_INVALID with every
 * problem, each with its path, if it is wrong.
 */
export function readManifest(dir: string): Manifest {
  for (const name of fileNames) {
    const file = join(dir, name);
    if (!existsSync(file)) continue;
    const value = readJson(file);
    const form = formOf(name, value);
    if (form === undefined) continue;
    const problems = problemsOf(form.schema, value);
    if (problems.length > 0) throw invalid(file, problems);
    const { manifest, files } = form.read(value);
    const missing = Object.entries(files).flatMap(([path, named]) => {
      const message = problemOfFile(dir, named);
      return message === undefined ? [] : [{ path, message }];
    });
    if (missing.length > 0) throw invalid(file, missing);
    return { ...manifest, file, warnings: unknownFields(form.schema, value) };
  }
  throw new PatchbayError('MANIFEST_MISSING', `${dir} has no plugin manifest`, { file: dir });
}

function invalid(file: string, problems: readonly Problem[]): PatchbayError {
  const told = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  const count = problems.length === 1 ? '' : `${problems.length} problems: `;
  return new PatchbayError('MANIFEST_INVALID', `${file}: ${count}${told}`, { file, problems });
}

/** A file that a manifest names must be there, and in the package. */
function problemOfFile(dir: string, named: string): string | undefined {
  const file = join(dir, named);
  if (!existsSync(file)) return `there is no file "${named}" in the package`;
  if (!realpathSync(file).startsWith(realpathSync(dir) + sep)) return `"${named}" leads out of the package`;
  return statSync(file).isFile() ? undefined : `"${named}" is not a file`;
}

/** Fields that nobody reads are most often misspelt ones. */
function unknownFields(schema: Schema, value: unknown): string[] {
  // package.json is full of fields that are not ours.
  if (schema === packageForm) return [];
  const known = fieldsOf(schema) ?? [];
  return Object.keys(value as object)
    .filter((field) => !known.includes(field))
    .map((field) => `field "${field}" is not read; ${suggestion(field, known)}`);
}
