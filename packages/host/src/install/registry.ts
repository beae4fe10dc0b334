import { type ParseError, parse } from 'jsonc-parser';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { isBuiltinEntry } from '../config/builtin-entry.ts';
import { yamlValue } from '../config/yaml-value.ts';
import type { Home } from './home.ts';

/** What the project's config says of an installed plugin. */
export interface Registered {
  readonly version: string | undefined;
  readonly enabled: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  /** Whether its code may run in the process of the host. */
  readonly trusted: boolean;
  /** The keys with which its requests are signed, as they stand in the file. */
  readonly signing: unknown;
  /** A module of the project itself, not an installed package. */
  readonly path: string | undefined;
}

/** The plugins that the text of a project's config names, in its order. */
export function readRegistered(home: Home, text: string | null): Map<string, Registered> {
  const plugins = parseConfig(home, text ?? '')['plugins'] ?? {};
  if (typeof plugins !== 'object' || plugins === null || Array.isArray(plugins)) {
    throw invalid(home, '"plugins" must be an object by name');
  }
  const entries = Object.entries(plugins).filter(([, value]) => home.kind !== 'patchbay' || !isBuiltinEntry(value));
  return new Map(
    entries.map(([name, value]) => {
      const fields = (value ?? {}) as Record<string, unknown>;
      const { version, enabled = true, config = {}, path, trusted = false, signing } = fields;
      if (typeof enabled !== 'boolean') throw invalid(home, `"plugins.${name}.enabled" must be true or false`);
      if (typeof config !== 'object' || config === null)
        throw invalid(home, `"plugins.${name}.config" must be an object`);
      if (typeof trusted !== 'boolean') throw invalid(home, `"plugins.${name}.trusted" must be true or false`);
      const registered: Registered = {
        version: typeof version === 'string' ? version : undefined,
        enabled,
        config: config as Record<string, unknown>,
        trusted,
        signing,
        path: typeof path === 'string' ? path : undefined,
      };
      return [name, registered] as const;
    }),
  );
}

/** What the text of a project's config holds. Throws PROJECT_INVALID. */
export function parseConfig(home: Home, text: string): Record<string, unknown> {
  let value: unknown;
  if (home.kind === 'agentxchain') {
    const errors: ParseError[] = [];
    value = parse(text, errors);
    if (errors.length > 0) throw invalid(home, 'is not JSON');
  } else {
    try {
      value = yamlValue(text) ?? {};
    } catch (error) {
      throw invalid(home, messageOf(error));
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(home, 'must be an object');
  return value as Record<string, unknown>;
}

function invalid(home: Home, what: string): PatchbayError {
  return new PatchbayError('PROJECT_INVALID', `${home.configFile}: ${what}`, { file: home.configFile });
}
