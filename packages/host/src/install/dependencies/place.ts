import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { StagingFolder } from '../fetch/folder.ts';
import { stageNpm } from '../fetch/npm.ts';
import type { Policy } from '../fetch/policy.ts';
import type { RegistryOptions } from '../fetch/registry-request.ts';
import { type NpmSource, parseSource, sourceText } from '../fetch/source.ts';
import { filesOf } from '../integrity.ts';
import type { Pins } from '../lock.ts';

const atOnce = 4;

/** A package of the registry and where in a plugin it goes. */
export interface Place {
  /** As `placePattern` of the lock file has it. */
  readonly path: string;
  /** Of one version. */
  readonly source: NpmSource;
  /** What it must be; undefined where nobody has said so yet. */
  readonly integrity: string | undefined;
}

/** Understands `npm:name@1.2.3`, from whichever file. Throws SOURCE_INVALID. */
export function npmSource(text: string): NpmSource {
  const source = parseSource(text, '/');
  if (source.kind === 'npm') return source;
  throw new PatchbayError('SOURCE_INVALID', `${text}: it is no package of the registry`);
}

/**
 * Brings packages into the plugin in `dir`, by the same rules as the plugin itself: what it then is, all together, is within
 * the limits of `policy`. Runs nothing of them, makes no links. Throws a PatchbayError that names the package; what stands
 * in `dir` is of no use then.
 */
export async function bringPlaces(
  dir: string,
  places: readonly Place[],
  { policy, temp, registry }: { policy: () => Policy; temp: string; registry: RegistryOptions },
): Promise<Pins> {
  const work = mkdtempSync(join(temp, 'dependencies-'));
  const whole = await admitted(dir, policy());
  const pins: Record<string, Pins[string]> = {};
  const outerFirst = [...places].sort((a, b) => (a.path < b.path ? -1 : 1));
  try {
    await inParallel(outerFirst, async ({ path, source, integrity }) => {
      const text = sourceText(source);
      const folder = new StagingFolder(join(work, path.replaceAll('/', '!')), whole.within(text));
      mkdirSync(folder.dir);
      const resolved = await stageNpm(source, folder, { ...registry, integrity });
      pins[path] = { resolved: text, integrity: resolved.integrity };
    });
    for (const { path } of outerFirst) {
      const to = join(dir, path);
      if (existsSync(to)) throw whole.refusal('another package ships it', path);
      mkdirSync(dirname(to), { recursive: true });
      renameSync(join(work, path.replaceAll('/', '!')), to);
    }
    await admitted(dir, policy());
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return Object.fromEntries(outerFirst.map(({ path }) => [path, pins[path] as Pins[string]]));
}

/** The policy, having been asked for all that is in a folder. */
async function admitted(dir: string, policy: Policy): Promise<Policy> {
  for (const { path, size } of await filesOf(dir)) policy.file(path, size);
  return policy;
}

/** Does something for each, a few at a time. The first failure stops it, once what is under way has ended. */
async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const item of rest) {
      if (failures.length > 0) return;
      await act(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
