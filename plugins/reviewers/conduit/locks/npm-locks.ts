import { matchesGlob } from 'node:path';
import { parse } from 'yaml';
import { objectOf, texts } from '../../workspace/packages.ts';
import { folderOf } from '../../workspace/paths.ts';
import { list, record } from '../../workspace/yaml-file.ts';

/** Asks a lock file about a dependency: what is wrong, null if nothing. Null instead of the question if it cannot be read. */
export type Locked = (name: string, range: string) => string | null;

/** Reads a lock file for a package in a folder. */
export function lockedBy(lock: string, text: string, folder: string): Locked | null {
  const inside = folder.slice(folderOf(lock).length).replace(/^\//, '');
  if (/(?:package-lock|npm-shrinkwrap)\.json$/.test(lock)) return byNpm(text, inside);
  if (lock.endsWith('yarn.lock')) return byYarn(text);
  return lock.endsWith('pnpm-lock.yaml') ? byPnpm(text, inside) : null;
}

function byNpm(text: string, inside: string): Locked {
  const content = objectOf(text);
  if (content === null) return () => 'it is not valid JSON';
  const { packages, dependencies } = content;
  if (packages === undefined)
    return (name) => (record(dependencies)[name] === undefined ? `it does not know ${name}` : null);
  const own = record(packages)[inside];
  if (own === undefined) {
    const { workspaces } = record(record(packages)['']);
    // A package that is none of its workspaces has nothing to do with this lock file.
    return isWorkspace(inside, workspaces) ? () => `it does not know the workspace ${inside}` : () => null;
  }
  const { dependencies: main, devDependencies: dev, optionalDependencies: optional } = record(own);
  const ranges = { ...texts(dev), ...texts(optional), ...texts(main) };
  return (name, range) => {
    if (ranges[name] === undefined) return `it does not know ${name}`;
    return ranges[name] === range ? null : `${name} is ${ranges[name]} there and ${range} here`;
  };
}

function isWorkspace(folder: string, patterns: unknown): boolean {
  return list(patterns).some(
    (pattern) => typeof pattern === 'string' && matchesGlob(folder, pattern.replace(/^\.\/|\/$/g, '')),
  );
}

function byYarn(text: string): Locked {
  return (name, range) => {
    if (/^(?:workspace|file|link|portal):/.test(range)) return null;
    const entries = [`${name}@${range}`, `${name}@npm:${range}`];
    return entries.some((entry) => text.includes(entry)) ? null : `it does not know ${name}@${range}`;
  };
}

function byPnpm(text: string, inside: string): Locked {
  const content = record(yamlOf(text));
  const own = record(
    record(content['importers'])[inside === '' ? '.' : inside] ??
      (content['importers'] === undefined ? content : undefined),
  );
  const all = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(record(own[kind])),
  );
  const ranges = new Map(
    all.map(([name, value]) => [name, record(value)['specifier'] ?? record(own['specifiers'])[name]]),
  );
  return (name, range) => {
    if (!ranges.has(name)) return `it does not know ${name}`;
    const there = ranges.get(name);
    return there === undefined || there === range || /^catalog:/.test(range)
      ? null
      : `${name} is ${there} there and ${range} here`;
  };
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return {};
  }
}
