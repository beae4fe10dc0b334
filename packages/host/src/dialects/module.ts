import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { messageOf, PatchbayError } from 'patchbay-sdk';

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

/** Imports the module of a plugin into this process and gives its definition. Throws PLUGIN_LOAD. */
export async function importPlugin({ name, path }: Where): Promise<unknown> {
  const module = (await importModule({ name, path })) as { default?: { name?: unknown } };
  let instead: string;
  try {
    const definition = module.default;
    if (definition?.name === name) return definition;
    instead = 'default' in module ? `not ${JSON.stringify(definition?.name)}` : 'but has no default export';
  } catch (error) {
    instead = `but it cannot be read: ${messageOf(error)}`;
  }
  const message = `${path} must export a plugin named "${name}" as default, ${instead}`;
  throw new PatchbayError('PLUGIN_LOAD', message, { plugin: name, file: path });
}
