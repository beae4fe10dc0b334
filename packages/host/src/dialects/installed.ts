import { eventHooks, type Log, PatchbayError } from 'patchbay-sdk';
import type { Found } from '../install/discover.ts';
import { linked } from '../install/lock.ts';
import type { HandlerInput } from '../kernel/index.ts';
import { type Isolating, isolate, type Loaded } from './isolated.ts';
import { importPlugin, type PluginModule } from './module.ts';
import { fromDefinition } from './native.ts';
import { fromManifest } from './packaged.ts';
import { pynchyTarget } from './pynchy/dependencies.ts';

/**
 * Makes an installed plugin ready: its declared handlers, and its module, if it has one: in this process if the operator
 * trusts it, in its own otherwise. Throws what is wrong with it.
 */
export async function loadInstalled(found: Found, isolating: Isolating): Promise<Loaded> {
  const { log, tools } = isolating;
  const declared = fromManifest(found, tools, log);
  const { plugin, pynchy, ...foreign } = found.manifest.entries;
  const [unread] = Object.keys(foreign);
  if (unread !== undefined) {
    throw new PatchbayError('PLUGIN_LOAD', `plugin "${found.name}": entries "${unread}" are not read yet`, {
      plugin: found.name,
      hint: 'This version of Patchbay installs such packages, but does not run them.',
    });
  }
  const entry = plugin ?? pynchy;
  if (entry === undefined) return { registration: declared, warnings: [], close: async () => {} };
  const { module, export: exported } = pynchyTarget(found.dir, entry);
  const wanted = { name: found.name, path: module, export: exported, version: found.entry.version };
  const loaded = found.trusted ? await inProcess(found, wanted, log) : await isolated(found, wanted, isolating);
  try {
    const handlers = [...declared.handlers, ...loaded.registration.handlers.map((handler) => bounded(found, handler))];
    return { ...loaded, registration: { ...loaded.registration, handlers } };
  } catch (error) {
    await loaded.close().catch(() => {});
    throw error;
  }
}

async function inProcess(found: Found, wanted: PluginModule, log: Log): Promise<Loaded> {
  const definition = await importPlugin(wanted, found.config);
  const registration = fromDefinition(definition, found.config, () => log);
  return { registration, warnings: [], close: async () => {} };
}

function isolated(found: Found, wanted: PluginModule, isolating: Isolating): Promise<Loaded> {
  const { name, dir, config, entry, env } = found;
  const { path: module, export: exported, version } = wanted;
  const integrity = entry.integrity === linked ? null : entry.integrity;
  const grants = entry.grants;
  return isolate({ name, module, export: exported, version, dir, config, grants, env, integrity }, isolating);
}

/** Keeps a module to what the operator was told: its hooks are those of its manifest, and it refuses what it may. */
function bounded({ name, manifest, entry }: Found, input: HandlerInput): HandlerInput {
  const { hook } = input;
  // A package of Pynchy has nowhere to name them; it has none but capabilities.
  if (manifest.entries['pynchy'] === undefined && !manifest.hooks.includes(hook)) {
    throw new PatchbayError(
      'PLUGIN_INVALID',
      `plugin "${name}" implements hook "${hook}", which its manifest does not name`,
      { plugin: name, hook, hint: `Have its author add "${hook}" to the hooks in ${manifest.file}.` },
    );
  }
  const isClosed = Object.hasOwn(eventHooks, hook) && eventHooks[hook as keyof typeof eventHooks].failure === 'closed';
  return isClosed && !entry.grants.includes(`block:${hook}`) ? { ...input, advisory: true } : input;
}
