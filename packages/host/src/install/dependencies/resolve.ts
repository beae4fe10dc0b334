import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from '@npmcli/arborist';
import { PatchbayError } from 'patchbay-sdk';
import { defaultLimits } from '../fetch/policy.ts';
import { type RegistryOptions, RegistryRequest, registrySettings } from '../fetch/registry-request.ts';
import { placePattern } from '../lock.ts';
import { npmSource, type Place } from './place.ts';
import { resolveError } from './resolve-error.ts';
import { lent, type Wanted } from './wanted.ts';

/** All that is wanted together, however many packages that is. */
const usualTimeoutMs = 120_000;
/** Stands in the tree where the lent package would, so that nobody looks for it in a registry. */
const lentVersion = '0.0.0';

/**
 * Decides which version of what goes where, as npm does: by the lock file of the plugin where it has one, else by range. Asks
 * the registry, brings nothing. Works in a folder of its own below `temp`: npm runs an extension that stands beside a
 * package.json, and the plugin's is never there. Throws a PatchbayError that names the dependency.
 */
export async function resolveWanted(
  wanted: Wanted,
  { temp, timeoutMs = usualTimeoutMs, ...registry }: RegistryOptions & { readonly temp: string },
): Promise<Place[]> {
  const dir = realpathSync(mkdtempSync(join(temp, 'resolve-')));
  const all = Object.keys({ ...wanted.dependencies, ...wanted.optionalDependencies }).join(', ');
  const request = new RegistryRequest(all, timeoutMs, defaultLimits.bytes);
  try {
    writeRoot(dir, wanted);
    const { default: Arborist } = await import('@npmcli/arborist');
    const builder = new Arborist({
      ...registrySettings(registry, timeoutMs, request.signal),
      path: dir,
      cache: join(dir, 'cache'),
      ignoreExtension: true,
      allowGit: 'none',
      allowRemote: 'none',
      allowFile: 'none',
      allowDirectory: 'none',
    });
    const failed = (error: unknown) => {
      const nodes = [...(builder.idealTree?.inventory.values() ?? [])];
      const about = nodes.find(({ errors }) => errors.includes(error as Error));
      return resolveError(error, about?.name, all);
    };
    const { inventory } = await request.answer(builder.buildIdealTree(), failed);
    return [...inventory.values()].filter(isWanted).map(placeOf);
  } finally {
    request.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

function writeRoot(dir: string, { dependencies, optionalDependencies, overrides, locked }: Wanted): void {
  const root = {
    dependencies: { ...dependencies, [lent]: lentVersion },
    optionalDependencies,
    overrides: { ...overrides, [lent]: lentVersion },
  };
  const packages = { '': root, [`node_modules/${lent}`]: { version: lentVersion }, ...locked };
  mkdirSync(join(dir, 'cache'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify(root));
  writeFileSync(join(dir, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
}

function isWanted({ location, inert, inDepBundle, extraneous }: Node): boolean {
  return location !== '' && location !== `node_modules/${lent}` && !inert && !inDepBundle && !extraneous;
}

function placeOf({ location, name, packageName, version, integrity, isLink, isRegistryDependency }: Node): Place {
  // A lock file may say anything.
  if (isLink || !isRegistryDependency || !placePattern.test(location)) {
    throw new PatchbayError('PACKAGE_UNSAFE', `${name}: it is no package of the registry`);
  }
  return {
    path: location,
    source: npmSource(`npm:${packageName ?? name}@${version}`),
    integrity: integrity ?? undefined,
  };
}
