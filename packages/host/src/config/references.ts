import { PatchbayError } from 'patchbay-sdk';

/** A configuration with its references to the environment looked up, and the values that came from there. */
export interface Resolved {
  readonly config: Readonly<Record<string, unknown>>;
  /** What must not appear in logs or in the ledger. */
  readonly secrets: readonly string[];
}

/**
 * Looks up every `${NAME}` in the texts of a configuration, at any depth. The result is for handing to the plugin, never
 * for writing down. Throws CONFIG_INVALID, which names the fields, where a variable is not set.
 */
export function resolveReferences(
  plugin: string,
  config: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Resolved {
  const secrets = new Set<string>();
  const problems: { path: string; message: string }[] = [];
  const resolve = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
        const found = env[name];
        if (found === undefined) problems.push({ path, message: `needs the variable ${name}, which is not set` });
        else if (found !== '') secrets.add(found);
        return found ?? '';
      });
    }
    if (Array.isArray(value)) return value.map((item, i) => resolve(item, `${path}[${i}]`));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      resolve(item, path === '' ? key : `${path}.${key}`),
    ]);
    return Object.fromEntries(entries);
  };
  const resolved = resolve(config, '') as Record<string, unknown>;
  if (problems.length === 0) return { config: resolved, secrets: [...secrets] };
  const told = problems.map(({ path, message }) => `"${path}" ${message}`).join('; ');
  throw new PatchbayError('CONFIG_INVALID', `plugin "${plugin}", config: ${told}`, {
    plugin,
    field: problems[0]?.path,
    problems,
    hint: 'Set the variable in the environment of the host.',
  });
}
