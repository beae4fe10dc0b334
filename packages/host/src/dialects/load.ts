import { join } from 'node:path';
import { type Hooks, type Log, messageOf, PatchbayError } from 'patchbay-sdk';
import type { Project } from '../config/project.ts';
import { type Discovered, discover, type Found, type Quarantined } from '../install/discover.ts';
import type { Kernel } from '../kernel/index.ts';
import { standIn } from './guards.ts';
import { loadInstalled } from './installed.ts';
import { importPlugin } from './module.ts';
import { fromDefinition } from './native.ts';
import type { Tools } from './packaged.ts';

/** What there is of installed plugins after loading. */
export interface Plugins extends Discovered {
  /** Ends what runs for them. */
  close(): Promise<void>;
}

/**
 * Puts the plugins of a project into the kernel: its modules in the order of its file, then its packages in alphabetical
 * order. A module that does not load is an error, a package that does not is quarantined.
 */
export async function loadPlugins(
  kernel: Kernel<Hooks>,
  project: Project,
  tools: Tools,
  logOf: (plugin: string, secrets?: readonly string[]) => Log,
): Promise<Plugins> {
  const ends: (() => Promise<void>)[] = [];
  const close = async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
  };
  for (const plugin of project.plugins) {
    if (plugin.enabled) kernel.register(fromDefinition(await importPlugin(plugin), plugin.config, logOf));
  }
  const discovered = await discover(project.dir, tools.env);
  const found: Found[] = [];
  const quarantined = [...discovered.quarantined];
  for (const one of discovered.found) {
    try {
      const cacheDir = join(project.dir, '.patchbay', 'cache');
      const { registration, close: end } = await loadInstalled(one, tools, cacheDir, logOf(one.name, one.secrets));
      ends.push(end);
      kernel.register(registration);
      found.push(one);
    } catch (error) {
      quarantined.push(unloaded(one, error));
    }
  }
  for (const one of quarantined) if (!kernel.has(one.name)) kernel.register(standIn(one));
  quarantined.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...discovered, found, quarantined, close };
}

function unloaded({ name, entry }: Found, error: unknown): Quarantined {
  const guards = entry.grants.filter((grant) => grant.startsWith('block:')).map((grant) => grant.slice(6));
  const fix = error instanceof PatchbayError ? error.hint : 'tell its author';
  return { name, version: entry.version, reason: messageOf(error), fix, guards };
}
