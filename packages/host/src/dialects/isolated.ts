import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from 'patchbay-sdk';
import type { Registration } from '../kernel/index.ts';
import { type Description, IsolatedPlugin } from '../sandbox/isolated/index.ts';
import type { IsolatedOptions } from '../sandbox/isolated/options.ts';
import type { Tools } from './packaged.ts';

/** A plugin, ready to be registered. */
export interface Loaded {
  readonly registration: Registration;
  /** What is not wrong but will not do what its author, or the operator, thinks. */
  readonly warnings: readonly string[];
  /** Ends what runs for it. */
  close(): Promise<void>;
}

/** A plugin that is to have a process of its own. */
export interface Isolation
  extends Pick<
    IsolatedOptions,
    'name' | 'module' | 'export' | 'version' | 'pace' | 'dir' | 'config' | 'grants' | 'env'
  > {
  /** Of its files; null if they may change. */
  readonly integrity: string | null;
}

/** Where descriptions of plugins are kept, and who hears what they log. */
export interface Isolating {
  readonly tools: Tools;
  readonly cacheDir: string;
  readonly log: Log;
}

/** Makes a plugin ready in a process of its own. Throws what is wrong with it. */
export async function isolate(wanted: Isolation, { tools, cacheDir, log }: Isolating): Promise<Loaded> {
  const { integrity, ...options } = wanted;
  const plugin = new IsolatedPlugin({
    ...options,
    project: tools.project,
    log: ({ level, message, fields }) => log[level](message, fields),
    adopt: (pid) => tools.launcher.adopt(pid),
    release: (pid) => tools.launcher.release(pid),
  });
  try {
    const about = integrity === null ? undefined : JSON.stringify([options.name, integrity, options.config]);
    const description = await described(about, plugin, cacheDir);
    const { warnings = [] } = description;
    return { registration: plugin.registration(description), warnings, close: () => plugin.close() };
  } catch (error) {
    await plugin.close().catch(() => {});
    throw error;
  }
}

/** What the plugin says of itself; asked once for the same files and configuration, so that later starts need not start it. */
async function described(about: string | undefined, plugin: IsolatedPlugin, cacheDir: string): Promise<Description> {
  if (about === undefined) return plugin.describe();
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
