import { readFileSync } from 'node:fs';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { parse, TomlError } from 'smol-toml';
import { isPynchyProject, pynchyFile } from './pynchy-file.ts';
import { fieldsOf, type Invalid, type YamlFile } from './yaml-file.ts';

/** What the settings of Pynchy say of a plugin. */
export interface PynchyPluginSettings {
  readonly enabled: boolean;
  /** The module of the plugin, in the project; null for one that is installed, or a dependency. */
  readonly path: string | null;
  /** Whether it runs in the process of the host. */
  readonly trusted: boolean;
  readonly grants: readonly string[];
  /** Everything else that stands there. */
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * Reads `config.toml` of a folder, as far as it is Pynchy's; undefined if there is none, or if it is that of another program.
 * Throws PROJECT_INVALID, which names line and column where it is not TOML.
 */
export function readPynchyToml(dir: string): YamlFile | undefined {
  const file = pynchyFile(dir);
  if (!isPynchyProject(dir)) return undefined;
  let root: Record<string, unknown>;
  try {
    root = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const at = error instanceof TomlError ? `:${error.line}:${error.column}` : '';
    const [what] = messageOf(error).split('\n');
    throw new PatchbayError('PROJECT_INVALID', `${file}${at}: ${what}`, { file, cause: error });
  }
  const invalid: Invalid = (path, what) => {
    const field = path.join('.');
    return new PatchbayError('PROJECT_INVALID', `${file}: "${field}": ${what}`, { file, field });
  };
  return { root, invalid };
}

/** What `[plugins.x]` says, by name. Throws PROJECT_INVALID. */
export function readPynchyPlugins({ root, invalid }: YamlFile): Readonly<Record<string, PynchyPluginSettings>> {
  const plugins = fieldsOf(root['plugins'] ?? {}, ['plugins'], undefined, invalid);
  return Object.fromEntries(
    Object.entries(plugins).map(([name, value]) => {
      const at = ['plugins', name];
      const {
        enabled = true,
        path = null,
        trusted = false,
        grants = [],
        ...config
      } = fieldsOf(value, at, undefined, invalid);
      if (typeof enabled !== 'boolean') throw invalid([...at, 'enabled'], 'must be true or false');
      if (typeof trusted !== 'boolean') throw invalid([...at, 'trusted'], 'must be true or false');
      if (path !== null && typeof path !== 'string') throw invalid([...at, 'path'], 'must be the path of a module');
      if (!Array.isArray(grants) || grants.some((grant) => typeof grant !== 'string')) {
        throw invalid([...at, 'grants'], 'must be a list of texts like "net:example.com"');
      }
      return [name, { enabled, path, trusted, grants, config }] as const;
    }),
  );
}

/** The core that `[agent]` selects; null if it says nothing. Throws PROJECT_INVALID. */
export function readPynchyCore({ root, invalid }: YamlFile): string | null {
  const { core = null } = fieldsOf(root['agent'] ?? {}, ['agent'], undefined, invalid);
  if (core !== null && typeof core !== 'string') throw invalid(['agent', 'core'], 'must be the name of an agent core');
  return core;
}
