import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { Quarantined } from '../../install/discover.ts';
import { readManifest } from '../../install/manifest/manifest.ts';
import { dependencyNames, jsonOf } from '../dependencies.ts';
import { entriesOf, type PaceEntry } from './entry.ts';

/** A plugin among the dependencies of the project. */
export interface Dependency extends PaceEntry {
  /** The package that it is of. */
  readonly package: string;
  /** Where that is: what it may read. */
  readonly dir: string;
}

/** The plugins among the direct dependencies of a project, in the order of its package.json; and packages that are wrong. */
export function dependenciesOf(project: string): { found: Dependency[]; quarantined: Quarantined[] } {
  const found: Dependency[] = [];
  const quarantined: Quarantined[] = [];
  for (const name of dependencyNames(project)) {
    const place = join(project, 'node_modules', name);
    const its = jsonOf(join(place, 'package.json'));
    if (its?.['pace'] === undefined) continue;
    try {
      const dir = realpathSync(place);
      found.push(...entriesOf(dir, readManifest(dir)).map((entry) => ({ ...entry, package: name, dir })));
    } catch (error) {
      const fix = error instanceof PatchbayError ? error.hint : 'install it again';
      const version = String(its['version'] ?? '');
      quarantined.push({ name, version, reason: messageOf(error), fix, guards: [] });
    }
  }
  return { found, quarantined };
}
