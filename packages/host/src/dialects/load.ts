import { join } from 'node:path';
import { type Hooks, type Log, messageOf, PatchbayError } from 'patchbay-sdk';
import type { Project } from '../config/project.ts';
import { stateDir } from '../config/state.ts';
import { type Discovered, discover, type Found, type Quarantined } from '../install/discover.ts';
import type { Kernel } from '../kernel/index.ts';
import { standIn } from './guards.ts';
import { type Loaded, loadInstalled } from './installed.ts';
import { importPlugin } from './module.ts';
import { fromDefinition } from './native.ts';
import type { Tools } from './packaged.ts';

/** So many are made ready at the same time: one that does not come up delays few others. */
const atOnce = 4;

/**
 * Puts the plugins of a project into the kernel: its modules in the order of its file, then its packages in alphabetical
 * order. A module that does not load is an error, a package that does not is quarantined.
 */
export async function loadPlugins(
  kernel: Kernel<Hooks>,
  project: Project,
  tools: Tools,
  logOf: (plugin: string, secrets?: readonly string[]) => Log,
): Promise<Discovered> {
  for (const plugin of project.plugins) {
    if (plugin.enabled) kernel.register(fromDefinition(await importPlugin(plugin), plugin.config, logOf));
  }
  const discovered = await discover(project.dir, tools.env);
  const found: Found[] = [];
  const quarantined = [...discovered.quarantined];
  const cacheDir = join(stateDir(project.dir), 'cache');
  for (let i = 0; i < discovered.found.length; i += atOnce) {
    const some = discovered.found.slice(i, i + atOnce);
    const loading = some.map((one) => loadInstalled(one, tools, cacheDir, logOf(one.name, one.secrets)));
    const loaded = await Promise.allSettled(loading);
    for (const [k, one] of some.entries()) {
      try {
        await put(kernel, resultOf(loaded[k] as PromiseSettledResult<Loaded>));
        found.push(one);
      } catch (error) {
        quarantined.push(unloaded(one, error));
      }
    }
  }
  for (const one of quarantined) if (!kernel.has(one.name)) kernel.register(standIn(one));
  quarantined.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...discovered, found, quarantined };
}

function resultOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** Registers a plugin; what runs for it ends with it, or now if it is refused. */
async function put(kernel: Kernel<Hooks>, { registration, close }: Loaded): Promise<void> {
  try {
    kernel.register(registration).defer(close);
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

function unloaded({ name, entry }: Found, error: unknown): Quarantined {
  const guards = entry.grants.filter((grant) => grant.startsWith('block:')).map((grant) => grant.slice(6));
  const fix = error instanceof PatchbayError ? error.hint : 'tell its author';
  return { name, version: entry.version, reason: messageOf(error), fix, guards };
}
