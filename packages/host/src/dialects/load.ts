import { join } from 'node:path';
import { type Hooks, type Log, messageOf, PatchbayError } from 'patchbay-sdk';
import type { Project } from '../config/project.ts';
import type { PynchyPluginSettings } from '../config/pynchy.ts';
import { resolveReferences } from '../config/references.ts';
import { readSigning } from '../config/signing.ts';
import { stateDir } from '../config/state.ts';
import { type Discovered, discover, type Found, granted, guardsOf, type Quarantined } from '../install/discover.ts';
import type { Kernel } from '../kernel/index.ts';
import { type Rights, rightsOf } from '../outbound/sending/rights.ts';
import { standIn } from './guards.ts';
import { loadInstalled } from './installed.ts';
import { type Isolating, isolate, type Loaded } from './isolated.ts';
import { importPlugin } from './module.ts';
import { fromDefinition } from './native.ts';
import { type Dependency, dependenciesOf } from './pace/dependencies.ts';
import { pluginsIn } from './pace/folders.ts';
import { type LoadedPace, PaceLoader } from './pace/loader.ts';
import { kernelName } from './pace/names.ts';
import { Views } from './pace/views.ts';
import type { Tools } from './packaged.ts';
import { type PynchyDependency, pynchyDependencies } from './pynchy/dependencies.ts';

/** The plugins of a project, in the kernel or quarantined. */
export interface LoadedPlugins extends Discovered {
  /** How the host sends for each that is in the kernel. */
  readonly rights: ReadonlyMap<string, Rights>;
  /** What each was told that nobody else should see. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  /** What is not wrong but will not do what the operator thinks. */
  readonly warnings: readonly string[];
  /** Through which plugins of PACE see events. */
  readonly views: Views;
}

/** So many are made ready at the same time: one that does not come up delays few others. */
const atOnce = 4;

/** A package that is made ready while others are: one plugin, or one for each of its entries. */
interface Package {
  load(): Promise<readonly Ready[]>;
  quarantine(error: unknown): Quarantined;
}

/** A plugin that can be put into the kernel. */
interface Ready {
  readonly loaded: Loaded;
  readonly rights: Rights;
  readonly secrets: readonly string[];
  /** The installed package that it is of, under the name of the plugin. */
  readonly found?: Found;
}

/**
 * Puts the plugins of a project into the kernel: its modules in the order of its file, plugins among its dependencies, its
 * installed packages in alphabetical order, then those of PACE's folders. A module of the project that does not load is an
 * error, a package that does not is quarantined.
 */
export async function loadPlugins(
  kernel: Kernel<Hooks>,
  project: Project,
  tools: Tools,
  logOf: (plugin: string, secrets?: readonly string[]) => Log,
): Promise<LoadedPlugins> {
  const rights = new Map<string, Rights>();
  const secrets = new Map<string, readonly string[]>();
  const warnings: string[] = [];
  const found: Found[] = [];
  const add = async (all: readonly Ready[]) => {
    await put(kernel, all);
    for (const ready of all) {
      const { name } = ready.loaded.registration;
      rights.set(name, ready.rights);
      secrets.set(name, ready.secrets);
      warnings.push(...ready.loaded.warnings);
      if (ready.found !== undefined) found.push(ready.found);
    }
  };
  for (const plugin of project.plugins) {
    if (!plugin.enabled) continue;
    const signing = readSigning(plugin.name, plugin.signing, tools.env);
    rights.set(plugin.name, rightsOf({ grants: plugin.grants, own: true, signing, secrets: signing }, tools.env));
    kernel.register(fromDefinition(await importPlugin(plugin, plugin.config), plugin.config, logOf));
  }
  const discovered = await discover(project.dir, tools.env);
  const cacheDir = join(stateDir(project.dir), 'cache');
  const views = new Views();
  const pace = new PaceLoader({ settings: project.pace, tools, cacheDir, logOf, views });
  const dependencies = project.pace === null ? { found: [], quarantined: [] } : dependenciesOf(project.dir);
  const pynchy = project.pynchy === null ? { found: [], quarantined: [] } : pynchyDependencies(project.dir);
  const quarantined = [...discovered.quarantined, ...dependencies.quarantined, ...pynchy.quarantined];
  const packages = [
    ...dependencies.found.filter(({ entry }) => pace.wants(entry)).map((one) => dependency(pace, one)),
    ...pynchy.found
      .filter(({ name }) => project.pynchy?.[name]?.enabled !== false)
      .map((one) => pynchyDependency(one, project.pynchy?.[one.name], { tools, cacheDir, logOf })),
    ...discovered.found.map((one) => installed(pace, one, { tools, cacheDir, log: logOf(one.name, one.secrets) })),
  ];
  for (let i = 0; i < packages.length; i += atOnce) {
    const some = packages.slice(i, i + atOnce);
    const loaded = await Promise.allSettled(some.map((one) => one.load()));
    for (const [k, one] of some.entries()) {
      try {
        await add(resultOf(loaded[k] as PromiseSettledResult<readonly Ready[]>));
      } catch (error) {
        quarantined.push(one.quarantine(error));
      }
    }
  }
  const folders = await pluginsIn(project.dir, project.pace?.dirs ?? []);
  warnings.push(...folders.warnings);
  for (const local of folders.plugins) {
    if (pace.wants(local.entry)) await add([readyOf(pace.local(local))]);
  }
  for (const one of quarantined) standIn(kernel, one);
  quarantined.sort((a, b) => (a.name < b.name ? -1 : 1));
  warnings.push(...pace.unmatched());
  return { ...discovered, found, quarantined, rights, secrets, warnings, views };
}

function readyOf({ secrets, rights, ...loaded }: LoadedPace): Ready {
  return { loaded, rights, secrets };
}

function dependency(pace: PaceLoader, one: Dependency): Package {
  const { version, entry } = one;
  return {
    load: async () => [readyOf(await pace.dependency(one))],
    quarantine: (error) => {
      // The name of an entry may be that of a plugin that runs.
      const isTwin = error instanceof PatchbayError && error.code === 'PLUGIN_DUPLICATE';
      return { name: isTwin ? one.package : kernelName(entry), version, ...blame(error), guards: [] };
    },
  };
}

/** One of Pynchy among the dependencies: in a process of its own unless the project trusts it. */
function pynchyDependency(
  one: PynchyDependency,
  settings: PynchyPluginSettings | undefined,
  {
    tools,
    cacheDir,
    logOf,
  }: Omit<Isolating, 'log'> & { readonly logOf: (plugin: string, secrets: readonly string[]) => Log },
): Package {
  const { name, version, dir, module, export: exported } = one;
  return {
    load: async () => {
      const grants = settings?.grants ?? [];
      const env = granted(grants, tools.env);
      const own = resolveReferences(name, settings?.config ?? {}, tools.env);
      const secrets = [...own.secrets, ...Object.values(env)];
      const log = logOf(name, secrets);
      const rights = rightsOf({ grants, own: false, signing: [], secrets }, tools.env);
      if (settings?.trusted === true) {
        const definition = await importPlugin({ name, path: module, export: exported, version }, own.config);
        const registration = fromDefinition(definition, own.config, () => log);
        return [{ loaded: { registration, warnings: [], close: async () => {} }, rights, secrets }];
      }
      const wanted = { name, module, export: exported, version, dir, config: own.config, env, integrity: null };
      // What it needs of others stands beside it.
      const loaded = await isolate({ ...wanted, grants: [...grants, 'read:node_modules'] }, { tools, cacheDir, log });
      return [{ loaded, rights, secrets }];
    },
    quarantine: (error) => ({ name, version, ...blame(error), guards: [] }),
  };
}

function installed(pace: PaceLoader, one: Found, isolating: Isolating): Package {
  const { name, entry, manifest, signing, secrets } = one;
  const isPace = Object.keys(manifest.entries).some((key) => key.startsWith('pace.'));
  return {
    load: async () => {
      if (isPace) {
        const loaded = (await pace.installed(one)).map(readyOf);
        return loaded.map((ready) => {
          return { ...ready, found: { ...one, name: ready.loaded.registration.name, secrets: ready.secrets } };
        });
      }
      const rights = rightsOf({ grants: entry.grants, own: false, signing, secrets }, isolating.tools.env);
      return [{ loaded: await loadInstalled(one, isolating), rights, secrets, found: one }];
    },
    quarantine: (error) => ({ name, version: entry.version, ...blame(error), guards: guardsOf(entry) }),
  };
}

function blame(error: unknown): { readonly reason: string; readonly fix: string } {
  return { reason: messageOf(error), fix: error instanceof PatchbayError ? error.hint : 'tell its author' };
}

function resultOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** Registers all plugins of a package, or none; what runs for them ends with them, or now if one is refused. */
async function put(kernel: Kernel<Hooks>, all: readonly Ready[]): Promise<void> {
  const added: string[] = [];
  try {
    for (const { loaded } of all) {
      kernel.register(loaded.registration).defer(() => loaded.close());
      added.push(loaded.registration.name);
    }
  } catch (error) {
    for (const name of added) await kernel.unregister(name);
    await Promise.allSettled(all.slice(added.length).map(({ loaded }) => loaded.close()));
    throw error;
  }
}
