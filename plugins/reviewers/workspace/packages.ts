import type { Workspace } from './files.ts';
import { around, folderOf, within } from './paths.ts';

/** What stands in a `package.json`, as far as anybody here asks. */
export interface PackageFile {
  readonly path: string;
  readonly text: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** Name to range, for each kind of dependency. */
  readonly dependencies: Readonly<
    Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
  >;
}

/** The lock files of npm packages. */
export const npmLocks = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
];

/** Every `package.json` that can be read, tests' fixtures aside. */
export function packagesOf(workspace: Workspace): PackageFile[] {
  return workspace.paths
    .filter((path) => /(?:^|\/)package\.json$/.test(path) && !/(?:^|\/)(?:fixtures?|testdata|templates?)\//.test(path))
    .flatMap((path) => packageAt(workspace, path) ?? []);
}

/** One `package.json`; null if it is not there or no object. */
export function packageAt(workspace: Workspace, path: string): PackageFile | null {
  const text = workspace.text(path);
  const content = text === null ? null : objectOf(text);
  if (text === null || content === null) return null;
  const { scripts, dependencies, devDependencies, optionalDependencies } = content;
  return {
    path,
    text,
    scripts: texts(scripts),
    dependencies: {
      dependencies: texts(dependencies),
      devDependencies: texts(devDependencies),
      optionalDependencies: texts(optionalDependencies),
    },
  };
}

/** The lock file that speaks for a folder: in it or in a folder around it. */
export function lockFor(workspace: Workspace, path: string, names: readonly string[]): string | null {
  for (const folder of around(folderOf(path))) {
    const found = names.map((name) => within(folder, name)).find((lock) => workspace.has(lock));
    if (found !== undefined) return found;
  }
  return null;
}

/** A JSON object; null for anything else. */
export function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The entries of an object whose values are texts. */
export function texts(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
