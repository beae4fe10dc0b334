import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { type Resolved, resolveReferences } from '../config/references.ts';
import { readSigning } from '../config/signing.ts';
import { integrityOf } from './integrity.ts';
import { type LockEntry, linked } from './lock.ts';
import { readManifest } from './manifest/manifest.ts';
import type { Manifest } from './manifest/manifest-type.ts';
import { folderOf, looking, type State } from './project-state.ts';
import type { Registered } from './registry.ts';

/** An installed plugin that may run. */
export interface Found {
  readonly name: string;
  /** Its folder; for a linked one, where the link leads. */
  readonly dir: string;
  readonly entry: LockEntry;
  readonly manifest: Manifest;
  /** Whether the operator lets its code into the process of the host. */
  readonly trusted: boolean;
  /** Defaults filled in, references looked up. */
  readonly config: Resolved['config'];
  /** The variables of the environment that it was granted. */
  readonly env: Readonly<Record<string, string>>;
  /** Values from the environment that it is told: nobody else should see them. */
  readonly secrets: readonly string[];
  /** The keys with which its requests are signed, the newest first. */
  readonly signing: readonly string[];
}

/** A plugin that is kept from running. */
export interface Quarantined {
  readonly name: string;
  readonly version: string;
  readonly reason: string;
  /** What to do about it. */
  readonly fix: string;
  /** The events that it was to guard: they are refused until it is mended or disabled. */
  readonly guards: readonly string[];
}

/** The installed plugins of a project, each list in alphabetical order. */
export interface Discovered {
  readonly found: readonly Found[];
  readonly quarantined: readonly Quarantined[];
  /** Installed plugins, running or not: which version, and whether the operator has them switched on. */
  readonly installed: ReadonlyMap<string, { readonly version: string; readonly enabled: boolean }>;
}

/**
 * Finds the installed plugins of the project that `cwd` is in: those that are named in the project file, unchanged since
 * they were installed and well configured. Everything else is told with its reason; nothing of it is run.
 */
export function discover(cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Discovered> {
  return looking(cwd, async (state) => {
    const isModule = (name: string) => state.registered.get(name)?.path !== undefined;
    const names = new Set([...state.registered.keys(), ...Object.keys(state.lock), ...foldersOf(state)]);
    const found: Found[] = [];
    const quarantined: Quarantined[] = [];
    for (const name of [...names].sort()) {
      if (state.registered.get(name)?.enabled === false) continue;
      if (isModule(name) && !Object.hasOwn(state.lock, name)) continue;
      const one = await examine(state, name, env);
      if ('reason' in one) quarantined.push(one);
      else found.push(one);
    }
    const installed = Object.entries(state.lock).map(([name, { version }]) => {
      return [name, { version, enabled: state.registered.get(name)?.enabled !== false }] as const;
    });
    return { found, quarantined, installed: new Map(installed) };
  });
}

/** The names of the folders in which plugins are, whoever put them there. */
function foldersOf({ home: { pluginsDir } }: State): string[] {
  if (!existsSync(pluginsDir)) return [];
  return readdirSync(pluginsDir).flatMap((name) => {
    if (name.startsWith('@')) return readdirSync(join(pluginsDir, name)).map((inner) => `${name}/${inner}`);
    // A backup of an upgrade that is under way is nobody's plugin.
    return name.endsWith('.bak') ? [] : [name];
  });
}

const again = 'run "patchbay plugin install" to restore what the lock file says';

/** The events that a plugin was granted to refuse. */
export function guardsOf(entry: Pick<LockEntry, 'grants'> | undefined): string[] {
  return (entry?.grants ?? []).filter((grant) => grant.startsWith('block:')).map((grant) => grant.slice(6));
}

/** Why a plugin that was found good is not so any more; undefined if its files are still the same. Never throws. */
export async function changedSince({ name, dir, entry }: Found): Promise<Quarantined | undefined> {
  if (entry.integrity === linked) return undefined;
  const keep = (reason: string): Quarantined => {
    return { name, version: entry.version, reason, fix: `${again}, and start the host again`, guards: guardsOf(entry) };
  };
  try {
    return (await integrityOf(dir)) === entry.integrity ? undefined : keep('its files were changed while it ran');
  } catch (error) {
    return keep(`its files cannot be read any more: ${messageOf(error)}`);
  }
}

async function examine(state: State, name: string, env: NodeJS.ProcessEnv): Promise<Found | Quarantined> {
  const entry = state.lock[name];
  const registered = state.registered.get(name);
  const keep = (reason: string, fix: string): Quarantined => ({
    name,
    version: entry?.version ?? registered?.version ?? '',
    reason,
    fix,
    guards: guardsOf(entry),
  });
  if (registered?.path !== undefined) {
    const here = relative(state.home.dir, folderOf(state.home, name));
    return keep(
      `there are two of this name: the module ${registered.path}, which is run, and the package in ${here}`,
      `rename the module, or run "patchbay plugin remove ${name}"`,
    );
  }
  try {
    const dir = folderOf(state.home, name);
    if (entry === undefined) {
      const what = existsSync(dir) ? 'is not in the lock file' : 'is not installed';
      return keep(what, `install it with "patchbay plugin install SOURCE${existsSync(dir) ? ' --force' : ''}"`);
    }
    if (registered === undefined) {
      return keep('is not in the project file', `run "patchbay plugin install" to put it in, or remove it`);
    }
    if (!existsSync(dir)) return keep('its folder is missing', again);
    if (entry.integrity !== linked && (await integrityOf(dir)) !== entry.integrity) {
      return keep('its files differ from the lock file', again);
    }
    return await open(realpathSync(dir), name, entry, registered, env);
  } catch (error) {
    if (!(error instanceof PatchbayError)) return keep(messageOf(error), again);
    return keep(error.message, error.hint);
  }
}

async function open(
  dir: string,
  name: string,
  entry: LockEntry,
  registered: Registered,
  env: NodeJS.ProcessEnv,
): Promise<Found> {
  const manifest = readManifest(dir);
  if (manifest.name !== name) {
    throw new PatchbayError('MANIFEST_INVALID', `${manifest.file}: it is plugin "${manifest.name}", not "${name}"`);
  }
  const resolved = resolveReferences(name, registered.config, env);
  const given = granted(entry.grants, env);
  const secrets = [...resolved.secrets, ...Object.values(given)];
  const found = {
    name,
    dir,
    entry,
    manifest,
    trusted: registered.trusted,
    config: resolved.config,
    env: given,
    secrets,
    signing: readSigning(name, registered.signing, env),
  };
  if (manifest.configSchema === undefined) return found;
  const { checkConfig } = await import('./plugin-config.ts');
  return { ...found, config: checkConfig(name, manifest.configSchema, resolved.config) };
}

/** The variables of the environment that a plugin may see. */
export function granted(grants: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  const names = grants.filter((grant) => grant.startsWith('env:')).map((grant) => grant.slice(4));
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
