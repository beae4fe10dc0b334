import { type Listed, listed } from './listing.ts';
import { readManifest } from './manifest/manifest.ts';
import type { Manifest } from './manifest/manifest-type.ts';
import { demand, folderOf, looking } from './project-state.ts';

/** Everything known of one installed plugin. */
export interface Described extends Listed {
  readonly manifest: Manifest;
  readonly grants: readonly string[];
}

/** Opens an installed plugin and tells everything about it. */
export function describePlugin(cwd: string, name: string): Promise<Described> {
  return looking(cwd, (state) => {
    demand(state, name);
    const manifest = readManifest(folderOf(state.home, name));
    return { ...listed(state, name), manifest, grants: state.lock[name]?.grants ?? [] };
  });
}
