import { realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { entryFile, entryFlags } from '../entry.ts';
import { confinement, type Prefix } from './confinement.ts';
import type { IsolatedOptions } from './options.ts';

/** How a plugin's process is started. */
export interface Command {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it is in a namespace: then its end is told by an exit code, signals included. */
  readonly namespace: boolean;
}

const baseEnvironment = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];

/** What V8 reserves and never uses counts as data too: about this much before a plugin has done anything. */
const reservedMb = 640;

/**
 * Node has no way to bound memory outside of its heap; the system has. Aborting must leave no core file either, and
 * what bubblewrap adds to the environment goes.
 */
const bounded = ['/bin/sh', '-c', 'ulimit -c 0; unset PWD; ulimit -d "$0" && exec "$@"'] as const;

/** The command for a plugin: confined as well as this machine can, with what its grants allow and no more. */
export async function commandOf(options: IsolatedOptions, memoryMb: number): Promise<Command> {
  const has = (kind: string) => options.grants.some((grant) => grant.startsWith(`${kind}:`));
  const prefix: Prefix = options.namespace === 'off' ? [] : await confinement(has('net'));
  const namespace = prefix.length > 0;
  const entry = entryFile('isolated-main');
  const node = [
    process.execPath,
    ...entryFlags,
    ...(has('exec') ? ['--allow-child-process'] : []),
    // A later Node denies the network as well; this one does not know the flag.
    ...(has('net') && process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    '--permission',
    // Its files are beyond Node's permissions: with it a plugin could read, write and lock any database, the ledger too.
    '--no-experimental-sqlite',
    ...[...ownFiles(entry), options.dir, ...granted('read', options)].flatMap((path) => allow('read', path)),
    ...granted('write', options).flatMap((path) => allow('write', path)),
    `--max-old-space-size=${memoryMb}`,
    entry,
  ];
  const limit = process.platform === 'linux' ? [...bounded, String((reservedMb + memoryMb) * 1024)] : [];
  const start = namespace ? [...prefix, '--chdir', options.project, '--'] : [];
  return { argv: [...start, ...limit, ...node] as [string, ...string[]], env: environment(options.env), namespace };
}

function environment(granted: Readonly<Record<string, string>>): Record<string, string> {
  const base = baseEnvironment.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(base), ...granted };
}

function granted(kind: 'read' | 'write', { grants, project }: IsolatedOptions): string[] {
  const start = `${kind}:`;
  return grants.filter((grant) => grant.startsWith(start)).map((grant) => resolve(project, grant.slice(start.length)));
}

/** A path and all below it, also if there is nothing yet, and also as what it is a link to. */
function allow(what: 'read' | 'write', path: string): string[] {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {
    // Not there yet.
  }
  return [...new Set([path, real])].flatMap((one) => [
    `--allow-fs-${what}=${one}`,
    `--allow-fs-${what}=${join(one, '*')}`,
  ]);
}

/** The files of ours that the process runs from, and the SDK it lends to the plugin, with what these need. */
function ownFiles(entry: string): string[] {
  const here = entry.endsWith('.ts') ? dirname(dirname(entry)) : dirname(entry);
  const sdk = packageDir('patchbay-sdk', import.meta.url);
  const ours = ['acorn', 'acorn-walk'].map((name) => packageDir(name, import.meta.url));
  // Packages are found from where a module really is, and read by both names.
  const sdkFile = join(realpathSync(sdk ?? here), 'package.json');
  const theirs = ['zod', 'fastest-levenshtein'].map((name) => packageDir(name, sdkFile));
  const found = [sdk, ...ours, ...theirs, findPackageJSON(import.meta.url)];
  return [here, ...found.filter((path) => path !== undefined)];
}

/** Where a package is; undefined where it is bundled in. */
function packageDir(name: string, from: string): string | undefined {
  try {
    const file = findPackageJSON(name, from);
    return file === undefined ? undefined : dirname(file);
  } catch {
    return undefined;
  }
}
