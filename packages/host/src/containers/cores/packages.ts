import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type AgentCore, PatchbayError } from 'patchbay-sdk';
import * as z from 'zod/mini';
import {
  addDependencies,
  type DependencyOptions,
  restoreDependencies,
} from '../../install/dependencies/dependencies.ts';
import { npmSource } from '../../install/dependencies/place.ts';
import type { Pins } from '../../install/lock.ts';
import { coreFolder } from './place.ts';

/** What packages of cores are installed with. */
export interface PackageOptions {
  /** Root of the project. */
  readonly project: string;
  /** The URL of the registry. @default npm's public one */
  readonly registry?: string | undefined;
}

const lockFile = z.object({
  /** What was asked for then. */
  packages: z.array(z.string()),
  pins: z.record(z.string(), z.object({ resolved: z.string(), integrity: z.string() })),
});
type Lock = z.output<typeof lockFile>;

/**
 * The folder with the packages that a core needs, in `node_modules`, none of whose scripts has run. What is there and is what
 * the core asks for stays; what is locked is brought as it was; else versions are chosen anew, and locked. Throws
 * SOURCE_INVALID and whatever else may be wrong with packages and registries, naming the core.
 */
export async function corePackages(core: AgentCore, { project, registry }: PackageOptions): Promise<string> {
  const dir = coreFolder(project, core.name);
  const packages = [...(core.packages ?? [])].sort();
  const lock = readLock(dir);
  const fits = lock !== undefined && JSON.stringify(lock.packages) === JSON.stringify(packages);
  if (fits && (packages.length === 0 || existsSync(join(dir, 'node_modules')))) return dir;
  const wanted = wantedBy(core.name, packages);
  mkdirSync(dirname(dir), { recursive: true });
  const temp = mkdtempSync(join(dirname(dir), `.${basename(dir)}-`));
  try {
    const made = join(temp, 'made');
    mkdirSync(made);
    const options: DependencyOptions = { plugin: core.name, temp, registry };
    const pins = fits ? await restoreDependencies(made, lock.pins, options) : await added(made, wanted, options);
    writeFileSync(join(made, 'package.json'), `${JSON.stringify({ private: true, dependencies: wanted }, null, 2)}\n`);
    writeFileSync(lockIn(made), `${JSON.stringify({ packages, pins } satisfies Lock, null, 2)}\n`);
    // A host that dies in between finds no folder, and makes it again.
    if (existsSync(dir)) renameSync(dir, join(temp, 'before'));
    renameSync(made, dir);
    return dir;
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

function added(dir: string, dependencies: Readonly<Record<string, string>>, options: DependencyOptions): Promise<Pins> {
  if (Object.keys(dependencies).length === 0) return Promise.resolve({});
  const wanted = { dependencies, optionalDependencies: {}, overrides: {}, locked: {} };
  return addDependencies(dir, wanted, options);
}

/** Name to range. Throws SOURCE_INVALID for what is no package of the registry. */
function wantedBy(core: string, packages: readonly string[]): Record<string, string> {
  const entries = packages.map((spec) => {
    try {
      const { name, range = 'latest' } = npmSource(`npm:${spec}`);
      return [name, range] as const;
    } catch (cause) {
      const message = `agent core "${core}" wants "${spec}", which is no package of npm`;
      throw new PatchbayError('SOURCE_INVALID', message, {
        cause,
        hint: 'Write it as name@range, such as ollama@^1.0.0.',
      });
    }
  });
  return Object.fromEntries(entries);
}

function lockIn(dir: string): string {
  return join(dir, 'core-lock.json');
}

/** One that cannot be read is none: versions are chosen anew. */
function readLock(dir: string): Lock | undefined {
  try {
    const read = z.safeParse(lockFile, JSON.parse(readFileSync(lockIn(dir), 'utf8')));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
