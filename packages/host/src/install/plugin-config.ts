import { runInNewContext } from 'node:vm';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { messageOf, PatchbayError, suggestion } from 'patchbay-sdk';

const reference = /^\$\{[A-Za-z_]\w*\}$/;

/**
 * Checks the configuration of an installed plugin against its schema, all problems at once. A value that is a
 * reference to the environment is taken on trust: it is looked up when it is needed, and never written down. Gives the
 * configuration with the schema's defaults.
 */
export function checkConfig(
  plugin: string,
  schema: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const ajv = new Ajv2020({ allErrors: true, strict: false, useDefaults: true, logger: false });
  formats.default(ajv);
  let validate: ReturnType<typeof ajv.compile>;
  try {
    validate = bounded(() => ajv.compile(schema));
  } catch (error) {
    throw new PatchbayError(
      'MANIFEST_INVALID',
      `plugin "${plugin}": config_schema is no JSON Schema: ${messageOf(error)}`,
      {
        plugin,
        field: 'config_schema',
      },
    );
  }
  const filled = structuredClone(config);
  let fits: boolean;
  try {
    fits = bounded(() => validate(filled) as boolean);
  } catch (error) {
    const message = `plugin "${plugin}": config_schema cannot be checked: ${messageOf(error)}`;
    throw new PatchbayError('MANIFEST_INVALID', message, { plugin, field: 'config_schema' });
  }
  if (fits) return filled;
  const problems = (validate.errors ?? [])
    .filter((error) => !isReference(filled, error))
    .map((error) => tell(schema, error));
  if (problems.length === 0) return filled;
  const told = problems.map(({ path, message }) => `"${path}" ${message}`).join('; ');
  throw new PatchbayError('CONFIG_INVALID', `plugin "${plugin}", config: ${told}`, {
    plugin,
    field: problems[0]?.path,
    problems,
    hint: `Correct plugins.${plugin}.config in the project file, or pass --set.`,
  });
}

/** A schema comes with the plugin: its patterns and references must not keep the host busy. */
function bounded<T>(work: () => T): T {
  return runInNewContext('work()', { work }, { timeout: 1000 }) as T;
}

function isReference(config: unknown, { instancePath }: ErrorObject): boolean {
  const value = instancePath
    .split('/')
    .slice(1)
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], config);
  return typeof value === 'string' && reference.test(value);
}

function tell(schema: Readonly<Record<string, unknown>>, error: ErrorObject): { path: string; message: string } {
  const at = error.instancePath.slice(1).replaceAll('/', '.');
  const within = (name: string) => (at === '' ? name : `${at}.${name}`);
  if (error.keyword === 'required') return { path: within(error.params['missingProperty']), message: 'is required' };
  if (error.keyword === 'additionalProperties') {
    const extra = String(error.params['additionalProperty']);
    const known = Object.keys((schema['properties'] ?? {}) as object);
    return { path: within(extra), message: `is not known; ${suggestion(extra, known)}` };
  }
  return { path: at, message: error.message ?? 'is wrong' };
}
