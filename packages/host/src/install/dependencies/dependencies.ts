import { PatchbayError } from 'patchbay-sdk';
import { type Limits, Policy } from '../fetch/policy.ts';
import type { RegistryOptions } from '../fetch/registry-request.ts';
import type { Pins } from '../lock.ts';
import { bringPlaces, npmSource, type Place } from './place.ts';
import { resolveWanted } from './resolve.ts';
import type { Wanted } from './wanted.ts';

/** What to know for bringing the dependencies of a plugin. */
export interface DependencyOptions extends RegistryOptions {
  /** The name of the plugin, for errors. */
  readonly plugin: string;
  /** Where to keep what is needed meanwhile; on the same disk as the plugin. */
  readonly temp: string;
  /** Of the plugin with all it depends on. Lower than the default ones. */
  readonly limits?: Partial<Limits> | undefined;
}

/** Brings what the plugin in `dir` needs into its `node_modules`. Throws a PatchbayError that names plugin and dependency. */
export function addDependencies(dir: string, wanted: Wanted, options: DependencyOptions): Promise<Pins> {
  return naming(options, async () => bring(dir, await resolveWanted(wanted, options), options));
}

/** Brings exactly what a lock file says. Throws as `addDependencies`. */
export function restoreDependencies(dir: string, pins: Pins, options: DependencyOptions): Promise<Pins> {
  const places = Object.entries(pins).map(([path, { resolved, integrity }]): Place => {
    return { path, source: npmSource(resolved), integrity };
  });
  return naming(options, () => bring(dir, places, options));
}

function bring(dir: string, places: readonly Place[], options: DependencyOptions): Promise<Pins> {
  const { temp, limits, registry, timeoutMs } = options;
  const policy = () => new Policy('packages of npm', limits);
  return bringPlaces(dir, places, { policy, temp, registry: { registry, timeoutMs } });
}

async function naming<T>({ plugin }: DependencyOptions, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof PatchbayError)) throw error;
    const { code, message, cause } = error;
    throw new PatchbayError(code, `plugin "${plugin}" depends on ${message}`, {
      plugin,
      cause,
      ...(code === 'SOURCE_INVALID' ? { hint: 'Have its author correct the dependencies in package.json.' } : {}),
    });
  }
}
