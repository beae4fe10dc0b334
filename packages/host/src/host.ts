import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type Hooks, hooks, type Log, messageOf, PatchbayError } from 'patchbay-sdk';
import { findProject, type Project, type ProjectPlugin } from './config/project.ts';
import { inspectHandler } from './dialects/inspect.ts';
import { fromDefinition } from './dialects/native.ts';
import { Kernel, type KernelOptions, type Scope } from './kernel/index.ts';

/** How a host is opened. */
export interface HostOptions extends Omit<KernelOptions, 'inspect'> {
  /** Where to look for the project, upward. */
  readonly cwd: string;
  /** The version of Patchbay, as plugins are told it. */
  readonly version: string;
  /** Makes the log of a plugin. */
  readonly log?: (plugin: string) => Log;
}

/** A running host: the kernel with the plugins of a project. */
export interface Host {
  readonly kernel: Kernel<Hooks>;
  /** Undefined where there is no project file: a host without plugins. */
  readonly project: Project | undefined;
  /** Puts a plugin in that was defined by hand. */
  load(definition: unknown, config?: unknown): Scope;
  /** Tells the plugins that all of them are there. */
  start(): Promise<void>;
  /** Takes all plugins out, the last one first. */
  close(): Promise<void>;
}

/** Opens a host in a project: reads its file, loads its plugins in the order they stand there. */
export async function openHost(options: HostOptions): Promise<Host> {
  const project = findProject(options.cwd);
  const kernel = new Kernel(hooks, { ...options, inspect: inspectHandler });
  const sdk = lendSdk();
  const load = (definition: unknown, config?: unknown) =>
    kernel.register(fromDefinition(definition, config, options.log));
  const close = async () => {
    for (const plugin of kernel.plugins().reverse()) await kernel.unregister(plugin);
    sdk.deregister();
  };
  try {
    for (const plugin of project?.plugins ?? []) {
      if (plugin.enabled) load(await importPlugin(plugin), plugin.config);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const start = async () => {
    await kernel.call('host:ready', { version: options.version, project: project?.dir ?? null });
  };
  return { kernel, project, load, start, close };
}

const own = new URL('.', import.meta.url).href;

/** Lets plugins import the SDK wherever they are: where they have none of their own, they get the host's. */
function lendSdk(): { deregister(): void } {
  return registerHooks({
    resolve(specifier, context, next) {
      if (!/^patchbay-sdk(?:\/|$)/.test(specifier) || context.parentURL?.startsWith(own))
        return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

/** A module that takes longer to load will not. */
const loadMs = 10_000;

async function importPlugin({ name, path }: ProjectPlugin): Promise<unknown> {
  const failed = (what: string, cause?: unknown) =>
    new PatchbayError('PLUGIN_LOAD', `plugin "${name}" cannot be loaded from ${path}: ${what}`, {
      plugin: name,
      file: path,
      cause,
    });
  const { promise: late, reject } = Promise.withResolvers<never>();
  // Referenced: a module that waits for something that never comes would let the process end as if all were well.
  const timer = setTimeout(() => reject(failed(`it did not finish within ${loadMs / 1000} s`)), loadMs);
  try {
    const module = (await Promise.race([import(pathToFileURL(path).href), late])) as { default?: { name?: unknown } };
    const definition = module.default;
    if (definition?.name === name) return definition;
    const instead = 'default' in module ? `not ${JSON.stringify(definition?.name)}` : 'but has no default export';
    const message = `${path} must export a plugin named "${name}" as default, ${instead}`;
    throw new PatchbayError('PLUGIN_LOAD', message, { plugin: name, file: path });
  } catch (error) {
    throw error instanceof PatchbayError ? error : failed(messageOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}
