import { capabilityHooks, hooks } from 'patchbay-sdk';
import { inspectHandler } from '../../../dialects/inspect.ts';
import { importPlugin } from '../../../dialects/module.ts';
import { fromDefinition } from '../../../dialects/native.ts';
import { adapt } from '../../../dialects/pace/adapt.ts';
import { partsOf } from '../../../dialects/pace/entry.ts';
import { type Callable, Kernel, type Registration } from '../../../kernel/index.ts';
import type { DescribedHandler, Description, LoadParams } from '../options.ts';

/** A handler of the plugin, ready to be called. */
export interface LoadedHandler {
  readonly hook: string;
  readonly fn: Callable;
  readonly wraps: boolean;
  /** Whether payload and answer may hold functions. */
  readonly capability: boolean;
  /** Whether the payload is frozen, as it is for all but a few hooks. */
  readonly frozen: boolean;
}

/** The plugin that this process is for. */
export interface Loaded {
  readonly description: Description;
  readonly handlers: readonly LoadedHandler[];
  /** Validated, defaults applied. */
  readonly config: unknown;
}

/** Loads the plugin and checks all of it, as the host does with one that runs in-process. Rejects with what is wrong. */
export async function load(params: LoadParams): Promise<Loaded> {
  const { name } = params;
  const { registration, version, warnings } = await read(params);
  // A kernel that calls nobody: for its checks.
  new Kernel(hooks, { inspect: inspectHandler }).register(registration);
  const described: DescribedHandler[] = [];
  const handlers = registration.handlers.map(({ hook, handler, wrapper, ...options }, index) => {
    const wraps = wrapper !== undefined;
    described.push({ hook, index, wraps, options });
    return {
      hook,
      fn: (wrapper ?? handler) as Callable,
      wraps,
      capability: Object.hasOwn(capabilityHooks, hook),
      frozen: (hooks as Record<string, { frozen?: boolean }>)[hook]?.frozen !== false,
    };
  });
  const { dialect } = registration;
  const description = {
    name,
    version,
    ...(dialect === undefined ? {} : { dialect }),
    handlers: described,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  return { description, handlers, config: registration.config };
}

/** The plugin as the kernel takes it, in whichever dialect it is written. */
async function read({ name, module, pace, config, export: exported, version }: LoadParams): Promise<{
  readonly registration: Registration;
  readonly version: string;
  readonly warnings: readonly string[];
}> {
  if (pace === undefined) {
    const wanted = { name, path: module, export: exported, version };
    const definition = (await importPlugin(wanted, config)) as { version: string };
    return { registration: fromDefinition(definition, config), version: definition.version, warnings: [] };
  }
  const { handlers, warnings } = adapt(pace.entry, await partsOf(pace), config);
  return { registration: { name, dialect: 'pace', handlers, config }, version: pace.version, warnings };
}
