import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { eventHooks, type Log, PatchbayError } from 'patchbay-sdk';
import type { Found } from '../install/discover.ts';
import { linked } from '../install/lock.ts';
import type { HandlerInput, Registration } from '../kernel/index.ts';
import { type Description, IsolatedPlugin } from '../sandbox/isolated/index.ts';
import { importPlugin } from './module.ts';
import { fromDefinition } from './native.ts';
import { fromManifest, type Tools } from './packaged.ts';

/** An installed plugin, ready to be registered. */
export interface Loaded {
  readonly registration: Registration;
  /** Ends what runs for it. */
  close(): Promise<void>;
}

/**
 * Makes an installed plugin ready: its declared handlers, and its module, if it has one: in this process if the operator
 * trusts it, in its own otherwise. Throws what is wrong with it.
 */
export async function loadInstalled(found: Found, tools: Tools, cacheDir: string, log: Log): Promise<Loaded> {
  const declared = fromManifest(found, tools, log);
  const { plugin: module, ...foreign } = found.manifest.entries;
  const [unread] = Object.keys(foreign);
  if (unread !== undefined) {
    throw new PatchbayError(
      'PLUGIN_LOAD',
      `plugin "${found.name}": entries "${unread.split('.')[0]}" are not read yet`,
      {
        plugin: found.name,
        hint: 'This version of Patchbay installs such packages, but does not run them.',
      },
    );
  }
  if (module === undefined) return { registration: declared, close: async () => {} };
  const path = join(found.dir, module);
  const loaded = found.trusted ? await inProcess(found, path, log) : await isolated(found, path, tools, cacheDir, log);
  try {
    const handlers = [...declared.handlers, ...loaded.registration.handlers.map((handler) => bounded(found, handler))];
    return { ...loaded, registration: { ...loaded.registration, handlers } };
  } catch (error) {
    await loaded.close().catch(() => {});
    throw error;
  }
}

async function inProcess(found: Found, path: string, log: Log): Promise<Loaded> {
  const definition = await importPlugin({ name: found.name, path });
  return { registration: fromDefinition(definition, found.config, () => log), close: async () => {} };
}

async function isolated(found: Found, path: string, tools: Tools, cacheDir: string, log: Log): Promise<Loaded> {
  const { name, dir, config, entry } = found;
  const plugin = new IsolatedPlugin({
    name,
    module: path,
    dir,
    project: tools.project,
    config,
    grants: entry.grants,
    env: found.env,
    log: ({ level, message, fields }) => log[level](message, fields),
    adopt: (pid) => tools.launcher.adopt(pid),
    release: (pid) => tools.launcher.release(pid),
  });
  try {
    const description = await described(found, plugin, cacheDir);
    return { registration: plugin.registration(description), close: () => plugin.close() };
  } catch (error) {
    await plugin.close().catch(() => {});
    throw error;
  }
}

/** What the plugin says of itself; asked once for the same files and configuration, so that later starts need not start it. */
async function described(found: Found, plugin: IsolatedPlugin, cacheDir: string): Promise<Description> {
  if (found.entry.integrity === linked) return plugin.describe();
  const about = JSON.stringify([found.name, found.entry.integrity, found.config]);
  const file = join(cacheDir, `${createHash('sha256').update(about).digest('hex')}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Description;
  } catch {
    const description = await plugin.describe();
    remember(file, JSON.stringify(description));
    return description;
  }
}

/** Keeps a text in a file that is whole or not there. That this fails costs a start of the plugin next time, no more. */
function remember(file: string, text: string): void {
  try {
    const dir = dirname(file);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // What a host left that died here.
    for (const name of readdirSync(dir))
      if (name.startsWith(`${basename(file)}.`)) rmSync(join(dir, name), { force: true });
    const aside = `${file}.${process.pid}`;
    writeFileSync(aside, text, { mode: 0o600 });
    renameSync(aside, file);
  } catch {
    // See above.
  }
}

/** Keeps a module to what the operator was told: its hooks are those of its manifest, and it refuses what it may. */
function bounded({ name, manifest, entry }: Found, input: HandlerInput): HandlerInput {
  const { hook } = input;
  if (!manifest.hooks.includes(hook)) {
    throw new PatchbayError(
      'PLUGIN_INVALID',
      `plugin "${name}" implements hook "${hook}", which its manifest does not name`,
      { plugin: name, hook, hint: `Have its author add "${hook}" to the hooks in ${manifest.file}.` },
    );
  }
  const isClosed = Object.hasOwn(eventHooks, hook) && eventHooks[hook as keyof typeof eventHooks].failure === 'closed';
  return isClosed && !entry.grants.includes(`block:${hook}`) ? { ...input, advisory: true } : input;
}
