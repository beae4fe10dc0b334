import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PatchbayError, problemsOf } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { readJson } from '../manifest/json.ts';

/** The package that the host lends to every plugin; it is never installed for one. */
export const lent = 'patchbay-sdk';

const mostLockBytes = 16 * 1024 * 1024;
const ranges = z.optional(z.record(z.string(), z.string()));
const packageJson = z.object({
  dependencies: ranges,
  optionalDependencies: ranges,
  overrides: z.optional(z.record(z.string(), z.unknown())),
});
const lockJson = z.object({
  lockfileVersion: z.number(),
  packages: z.optional(z.record(z.string(), z.record(z.string(), z.unknown()))),
});

/** The packages of npm that a plugin needs. */
export interface Wanted {
  /** Name to range; the lent one left out. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** The same for those it can do without. */
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
  /** What its lock file says of each folder; empty without one. */
  readonly locked: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * What `plugin`, in `dir`, still needs; undefined if nothing. A package that ships its own `node_modules` needs nothing, and
 * must have all of it there. Throws MANIFEST_INVALID for a package.json or lock file that is wrong, SOURCE_INVALID.
 */
export function wantedBy(plugin: string, dir: string): Wanted | undefined {
  const file = join(dir, 'package.json');
  if (!existsSync(file)) return undefined;
  const read = fitting(packageJson, file, readJson(file));
  const optionalDependencies = withoutLent(read.optionalDependencies);
  const all = withoutLent(read.dependencies);
  // As npm has it: a name in both is optional.
  const dependencies = without(all, (name) => Object.hasOwn(optionalDependencies, name));
  if (existsSync(join(dir, 'node_modules'))) {
    checkShipped(plugin, dir, Object.keys(dependencies));
    return undefined;
  }
  if (Object.keys({ ...dependencies, ...optionalDependencies }).length === 0) return undefined;
  return { dependencies, optionalDependencies, overrides: read.overrides ?? {}, locked: lockedIn(dir) };
}

function checkShipped(plugin: string, dir: string, needed: readonly string[]): void {
  const has = (name: string) => existsSync(join(dir, 'node_modules', name, 'package.json'));
  const hint = 'Leave node_modules out of the package, or put all it needs there.';
  const invalid = (what: string) =>
    new PatchbayError('SOURCE_INVALID', `plugin "${plugin}" ships ${what}`, { plugin, hint });
  if (has(lent)) throw invalid(`${lent} in node_modules; plugins use the one of the host`);
  const missing = needed.filter((name) => !has(name));
  if (missing.length > 0) throw invalid(`a node_modules without ${missing.join(', ')}, which it depends on`);
}

function lockedIn(dir: string): Wanted['locked'] {
  const file = ['npm-shrinkwrap.json', 'package-lock.json']
    .map((name) => join(dir, name))
    .find((one) => existsSync(one));
  if (file === undefined) return {};
  const { lockfileVersion, packages } = fitting(lockJson, file, readJson(file, mostLockBytes));
  if (packages === undefined || lockfileVersion < 2 || lockfileVersion > 3) {
    const hint = 'Make it again with a current npm.';
    throw new PatchbayError('MANIFEST_INVALID', `${file}: lockfileVersion ${lockfileVersion} is not read`, {
      file,
      hint,
    });
  }
  return without(packages, (path) => path === '' || path.endsWith(`node_modules/${lent}`));
}

function withoutLent(ranges: Readonly<Record<string, string>> = {}): Record<string, string> {
  return without(ranges, (name) => name === lent);
}

function without<T>(all: Readonly<Record<string, T>>, drop: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !drop(name)));
}

function fitting<S extends z.ZodMiniType>(schema: S, file: string, value: unknown): z.output<S> {
  const problems = problemsOf(schema, value);
  if (problems.length === 0) return value as z.output<S>;
  const told = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new PatchbayError('MANIFEST_INVALID', `${file}: ${told}`, { file, problems });
}
