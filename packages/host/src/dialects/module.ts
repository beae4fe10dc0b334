import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { fromPynchy, isPynchy } from './pynchy/adapt.ts';

const own = new URL('.', import.meta.url).href;

/** Lets plugins import the SDK wherever they are: where they have none of their own, they get the host's. */
export function lendSdk(): { deregister(): void } {
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

interface Where {
  readonly name: string;
  readonly path: string;
}

/** A module that takes longer to load will not. */
const loadMs = 10_000;

/** Imports the module of a plugin into this process. Throws PLUGIN_LOAD. */
export async function importModule({ name, path }: Where): Promise<Readonly<Record<string, unknown>>> {
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
    return await Promise.race([import(pathToFileURL(path).href), late]);
  } catch (error) {
    throw error instanceof PatchbayError ? error : failed(messageOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}

/** What of a module is a plugin. */
export interface PluginModule extends Where {
  /** Undefined for the default export; or, of a plugin of Pynchy, one that is called `plugin`. */
  readonly export?: string | undefined;
  /** Of a plugin that does not say it itself. @default 0.0.0 */
  readonly version?: string | undefined;
}

/**
 * Imports the module of a plugin into this process and gives its definition; that of a plugin of Pynchy, which is made with
 * its configuration, is made here. Throws PLUGIN_LOAD, and PLUGIN_INVALID for one of Pynchy.
 */
export async function importPlugin(wanted: PluginModule, config?: unknown): Promise<unknown> {
  const { name, path, version = '0.0.0' } = wanted;
  const module = (await importModule({ name, path })) as Record<string, { name?: unknown } | undefined>;
  const exported = wanted.export ?? (!('default' in module) && isPynchy(module['plugin']) ? 'plugin' : 'default');
  let instead: string;
  try {
    const definition = module[exported];
    if (isPynchy(definition)) return fromPynchy(definition, { name, version, file: path }, config);
    if (definition?.name === name) return definition;
    instead = exported in module ? `not ${JSON.stringify(definition?.name)}` : `but has no ${exported} export`;
  } catch (error) {
    if (error instanceof PatchbayError) throw error;
    instead = `but it cannot be read: ${messageOf(error)}`;
  }
  const message = `${path} must export a plugin named "${name}" as ${exported}, ${instead}`;
  throw new PatchbayError('PLUGIN_LOAD', message, { plugin: name, file: path });
}
