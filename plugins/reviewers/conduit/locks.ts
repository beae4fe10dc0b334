import { matchesGlob } from 'node:path';
import { parse } from 'yaml';
import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { lockFor, npmLocks, objectOf, type PackageFile, packagesOf, texts } from '../workspace/packages.ts';
import { folderOf, within } from '../workspace/paths.ts';
import { commandsOf, linesOf } from '../workspace/shell.ts';
import type { Pipeline } from './job.ts';
import { list, record } from './yaml-file.ts';

const check = 'lock files';

/** Lock files that are missing, or do not say what the manifest says. */
export function locksOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return [...npm(workspace), ...go(workspace), ...cargo(workspace), ...frozen(workspace, pipelines)];
}

function* npm(workspace: Workspace): Generator<Concern> {
  for (const file of packagesOf(workspace)) {
    const wanted = Object.values(file.dependencies).flatMap(Object.entries);
    if (wanted.length === 0) continue;
    const lock = lockFor(workspace, file.path, npmLocks);
    if (lock === null) yield told(file.path, 1, 'it has dependencies and no lock file', 'ADVISORY');
    else yield* stale(workspace, file, lock);
  }
}

function* stale(workspace: Workspace, file: PackageFile, lock: string): Generator<Concern> {
  const text = workspace.text(lock);
  const locked = text === null ? null : lockedBy(lock, text, folderOf(file.path));
  if (locked === null) return;
  for (const [name, range] of Object.values(file.dependencies).flatMap(Object.entries)) {
    const says = locked(name, range);
    const line = file.text.slice(0, Math.max(0, file.text.indexOf(`"${name}"`))).split('\n').length;
    if (says !== null)
      yield { ...told(file.path, line, `${lock} is stale: ${says}; install and commit it`), also: [lock] };
  }
}

/** Asks a lock file about a dependency: what is wrong, null if nothing. Null instead of the question if it cannot be read. */
type Locked = (name: string, range: string) => string | null;

function lockedBy(lock: string, text: string, folder: string): Locked | null {
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

function* go(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)go\.mod$/.test(one))) {
    const sum = workspace.text(path.replace(/mod$/, 'sum'));
    const lines = (workspace.text(path) ?? '').split('\n');
    for (const [at, line] of lines.entries()) {
      const [, module, version] = /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+(v\d\S*)/.exec(line) ?? [];
      if (module === undefined || /=>/.test(line) || lines.some((other) => /=>/.test(other) && other.includes(module)))
        continue;
      if (sum === null) yield told(path, at + 1, `there is no go.sum for ${module}`);
      else if (!sum.includes(`${module} ${version}`))
        yield told(path, at + 1, `go.sum is stale: it does not know ${module} ${version}`);
    }
  }
}

function* cargo(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)Cargo\.toml$/.test(one))) {
    const lock = lockFor(workspace, path, ['Cargo.lock']);
    const known = lock === null ? null : workspace.text(lock);
    if (known === null) continue;
    let isTable = false;
    for (const [at, line] of (workspace.text(path) ?? '').split('\n').entries()) {
      if (/^\s*\[/.test(line)) isTable = /^\s*\[(?:dev-|build-)?dependencies\]/.test(line);
      const [, name, rest = ''] = (isTable && /^\s*([\w-]+)\s*=(.*)$/.exec(line)) || [];
      const real = /\bpackage\s*=\s*"([^"]+)"/.exec(rest)?.[1] ?? name;
      if (real !== undefined && !known.includes(`name = "${real}"`))
        yield told(path, at + 1, `${lock} is stale: it does not know ${real}`);
    }
  }
}

/** Commands of CI that refuse to work without a lock file. */
function* frozen(workspace: Workspace, pipelines: readonly Pipeline[]): Generator<Concern> {
  for (const { file, jobs } of pipelines)
    for (const { run, folder, line } of jobs.flatMap(({ steps }) => steps)) {
      if (folder === null || /(?:^|[\s;&(])cd\s/.test(run)) continue;
      const commands = linesOf(run).flatMap(({ text }) => commandsOf(text));
      const command = commands.find((one) =>
        /^npm\s+(?:ci|clean-install)\b(?!.*--prefix)|^(?:yarn|pnpm)\b.*--(?:frozen-lockfile|immutable)\b/.test(one),
      );
      if (command !== undefined && lockFor(workspace, within(folder, 'package.json'), npmLocks) === null)
        yield told(file.path, line, `${command} needs a lock file, and there is none`);
    }
}

function told(file: string, line: number, says: string, weight: Concern['weight'] = 'FAIL'): Concern {
  return { check, weight, file, line, says };
}
