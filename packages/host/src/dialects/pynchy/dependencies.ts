import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { Quarantined } from '../../install/discover.ts';
import { readManifest } from '../../install/manifest/manifest.ts';
import { dependencyNames, jsonOf } from '../dependencies.ts';

/** A plugin of Pynchy among the dependencies of the project. */
export interface PynchyDependency {
  readonly name: string;
  readonly version: string;
  readonly dir: string;
  /** The module that exports it, absolute. */
  readonly module: string;
  /** The name under which it does. */
  readonly export: string | undefined;
}

/** Where the entry `pynchy` of a manifest leads. */
export function pynchyTarget(dir: string, target: string): Pick<PynchyDependency, 'module' | 'export'> {
  const [path = '', name] = target.split('#');
  return { module: join(dir, path), export: name };
}

/** The plugins of Pynchy among the direct dependencies of a project; and packages that are wrong. */
export function pynchyDependencies(project: string): { found: PynchyDependency[]; quarantined: Quarantined[] } {
  const found: PynchyDependency[] = [];
  const quarantined: Quarantined[] = [];
  for (const name of dependencyNames(project)) {
    const place = join(project, 'node_modules', name);
    const its = jsonOf(join(place, 'package.json'));
    if (its?.['pynchy'] === undefined) continue;
    const version = String(its['version'] ?? '');
    try {
      const dir = realpathSync(place);
      const { entries } = readManifest(dir);
      found.push({ name, version, dir, ...pynchyTarget(dir, entries['pynchy'] ?? '') });
    } catch (error) {
      const fix = error instanceof PatchbayError ? error.hint : 'install it again';
      quarantined.push({ name, version, reason: messageOf(error), fix, guards: [] });
    }
  }
  return { found, quarantined };
}
