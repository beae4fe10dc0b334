import type { StandardSchemaV1 } from '@standard-schema/spec';
import { capabilityHooks, type Log, messageOf, PatchbayError, type Plugin, suggestion } from 'patchbay-sdk';
import type { HandlerInput, Registration } from '../kernel/index.ts';

const namePattern = /^(?:@[a-z0-9-]+\/)?[a-z0-9-]+$/;
const versionPattern = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
const keys = ['name', 'version', 'config', 'dialect', 'hooks', 'provides'];

/** Whether a value has named members that could be read. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Turns what `definePlugin` gives, or a plain object like it, into what the kernel takes. Refuses what is wrong in it. */
export function fromDefinition(
  definition: unknown,
  config: unknown = {},
  logOf?: (plugin: string) => Log,
): Registration {
  try {
    return convert(definition, config, logOf);
  } catch (thrown) {
    if (thrown instanceof PatchbayError) throw thrown;
    // A getter, or a proxy, that throws when looked at.
    const plugin = nameOf(definition);
    const message = `plugin "${plugin ?? '(without a name)'}" cannot be read: ${messageOf(thrown)}`;
    throw new PatchbayError('PLUGIN_INVALID', message, { plugin, cause: thrown });
  }
}

function nameOf(definition: unknown): string | undefined {
  try {
    const { name } = definition as { name: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

function convert(definition: unknown, config: unknown, logOf: ((plugin: string) => Log) | undefined): Registration {
  if (!isObject(definition)) {
    throw new PatchbayError('PLUGIN_INVALID', 'a plugin must be the object that definePlugin gives');
  }
  const { name, version, hooks, provides, dialect } = definition;
  const plugin = typeof name === 'string' ? name : undefined;
  const invalid = (field: string, what: string) =>
    new PatchbayError('PLUGIN_INVALID', `plugin "${plugin ?? '(without a name)'}": ${what}`, { plugin, field });

  if (plugin === undefined || !namePattern.test(plugin)) {
    throw invalid('name', `"name" must be lower-case letters, digits and dashes, not ${JSON.stringify(name)}`);
  }
  if (typeof version !== 'string' || !versionPattern.test(version)) {
    throw invalid('version', `"version" must be a semantic version like 1.0.0, not ${JSON.stringify(version)}`);
  }
  for (const key of Object.keys(definition)) {
    if (!keys.includes(key)) throw invalid(key, `unknown field "${key}", ${suggestion(key, keys)}`);
  }
  for (const [field, value] of Object.entries({ hooks, provides })) {
    if (value !== undefined && !isObject(value)) throw invalid(field, `"${field}" must be an object by name of hook`);
  }
  const capabilities = Object.keys(capabilityHooks);
  for (const name of Object.keys(provides ?? {})) {
    if (!capabilities.includes(name)) {
      throw invalid(
        `provides.${name}`,
        `there is no capability "${name}" to provide; ${suggestion(name, capabilities)}`,
      );
    }
  }
  return {
    name: plugin,
    handlers: [...handlersOf(hooks), ...handlersOf(provides)],
    config: readConfig(plugin, definition['config'], config),
    ...(dialect === undefined ? {} : { dialect: dialect as NonNullable<Plugin['dialect']> }),
    ...(logOf === undefined ? {} : { log: logOf(plugin) }),
  };
}

function handlersOf(byHook: unknown): HandlerInput[] {
  return Object.entries((byHook ?? {}) as Record<string, unknown>).flatMap(([hook, implementation]) => {
    if (implementation === undefined) return [];
    const all = Array.isArray(implementation) ? implementation : [implementation];
    return all.map((one) => (isObject(one) ? { ...one, hook } : { hook, handler: one }));
  });
}

/** Validates an operator's configuration of a plugin and fills in its defaults. */
function readConfig(plugin: string, schema: unknown, config: unknown): unknown {
  const invalid = (field: string, what: string) =>
    new PatchbayError('CONFIG_INVALID', `plugin "${plugin}", config${field === '' ? '' : ` "${field}"`}: ${what}`, {
      plugin,
      field,
    });
  if (schema !== undefined && !isSchema(schema)) {
    throw new PatchbayError('PLUGIN_INVALID', `plugin "${plugin}": "config" must be a schema (zod, valibot, …)`, {
      plugin,
      field: 'config',
    });
  }
  const known = schema === undefined ? [] : fieldNames(schema);
  if (isObject(config) && known !== undefined) {
    for (const key of Object.keys(config)) {
      if (!known.includes(key)) throw invalid(key, `there is no such field; ${suggestion(key, known)}`);
    }
  }
  if (schema === undefined) {
    if (!isObject(config)) throw invalid('', `must be an object, not ${JSON.stringify(config)}`);
    return {};
  }
  const checked = validate(schema, config, invalid);
  if (checked.issues === undefined) return checked.value;
  const [issue] = checked.issues;
  const path = (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  throw invalid(path, issue?.message ?? 'is wrong');
}

/** What a schema says of a value, at once. A schema that throws, or wants to be waited for, is the plugin's fault. */
function validate(
  schema: StandardSchemaV1,
  config: unknown,
  invalid: (field: string, what: string) => PatchbayError,
): StandardSchemaV1.Result<unknown> {
  try {
    // Zod takes a schema that throws for one that must be awaited; asked like this it tells what was thrown.
    try {
      (schema as { safeParse?: (value: unknown) => unknown }).safeParse?.(config);
    } catch (thrown) {
      if ((thrown as Error | undefined)?.constructor?.name !== '$ZodAsyncError') throw thrown;
    }
    const checked = schema['~standard'].validate(config);
    if (!(checked instanceof Promise)) return checked;
    checked.catch(() => {});
  } catch (thrown) {
    throw invalid('', `the schema of the plugin failed: ${messageOf(thrown)}`);
  }
  throw invalid('', 'the schema is async, which a plugin cannot have');
}

function isSchema(value: unknown): value is StandardSchemaV1 {
  const standard = (value as { '~standard'?: { validate?: unknown } } | null)?.['~standard'];
  return typeof standard?.validate === 'function';
}

/** The fields of an object schema that takes no others, as far as the schema library lets one see. */
function fieldNames(schema: StandardSchemaV1): string[] | undefined {
  const { def } = schema as { def?: { shape?: unknown; catchall?: { def?: { type?: string } } } };
  const open = def?.catchall !== undefined && def.catchall.def?.type !== 'never';
  return isObject(def?.shape) && !open ? Object.keys(def.shape) : undefined;
}
