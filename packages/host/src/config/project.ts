import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { suggestion } from 'patchbay-sdk';
import { assistantFields, readAssistant } from './assistant.ts';
import type { AssistantSettings } from './assistant-settings.ts';
import { isBuiltinEntry } from './builtin-entry.ts';
import { labelPattern, labelWords } from './labels.ts';
import { type PaceSettings, paceFile, readPace } from './pace.ts';
import { type PynchyPluginSettings, readPynchyCore, readPynchyPlugins, readPynchyToml } from './pynchy.ts';
import { isPynchyProject, pynchyFile } from './pynchy-file.ts';
import { noReporting, type ReportSettings, readReporting } from './reporting.ts';
import { fieldsOf, type Invalid, readYaml, type YamlFile } from './yaml-file.ts';

/** A module of the project that its file names as a plugin. */
export interface ProjectPlugin {
  readonly name: string;
  /** The module to load, absolute. */
  readonly path: string;
  readonly enabled: boolean;
  readonly config: unknown;
  /** Where the host may send for it besides public addresses. */
  readonly grants: readonly string[];
  /** The keys with which that is signed, as they stand in the file. */
  readonly signing: unknown;
}

/** `embedded`: in a file of the project, which one host works on. `postgres`: in a database, which several do. */
export type Engine = 'embedded' | 'postgres';

/** Where several hosts keep what a run has made. */
export interface ArtifactSettings {
  /** A folder that all of them see, absolute; null: not in a folder. */
  readonly dir: string | null;
  /** The largest object that the database is given. */
  readonly mostBytes: number;
}

/** What the project file says of a plugin that comes with the program. */
export interface BuiltinSettings {
  readonly enabled: boolean;
  /** With its references to the environment as they stand there. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** What the project file says. */
export interface Project {
  readonly dir: string;
  readonly file: string;
  /** Where the ledger is, and who may work on it; null if nothing is said. */
  readonly engine: Engine | null;
  readonly artifacts: ArtifactSettings;
  readonly plugins: readonly ProjectPlugin[];
  /** By name. Whether there are such plugins, the host looks. */
  readonly builtins: Readonly<Record<string, BuiltinSettings>>;
  readonly runs: RunSettings;
  /** What `pace/pace.config.yaml` says; null where there is none. */
  readonly pace: PaceSettings | null;
  /** What `config.toml` says of plugins; null where there is none of Pynchy's. */
  readonly pynchy: Readonly<Record<string, PynchyPluginSettings>> | null;
  readonly reporting: ReportSettings;
  readonly assistant: AssistantSettings;
}

/** Which core plays a role, and how. */
export interface Casting {
  readonly core: string;
  readonly with: Readonly<Record<string, unknown>>;
}

/** What the project says of its runs. */
export interface RunSettings {
  /** What the core `default` of a template stands for; null if nothing is said. */
  readonly core: Casting | null;
  /** Roles that are played otherwise than the template says. */
  readonly roles: Readonly<Record<string, Casting>>;
  /** The labels that a host must have to play a role, by its name, where the template is not to say that. */
  readonly runsOn: Readonly<Record<string, readonly string[]>>;
  /** Who can prove who they are at a credentialed gate: by name, the SHA-256 of their token. */
  readonly approvers: Readonly<Record<string, { readonly token_sha256: string }>>;
}

const noRuns: RunSettings = { core: null, roles: {}, runsOn: {}, approvers: {} };

/** What the project file is called. */
export const projectFileName = 'patchbay.yaml';
const usualArtifacts: ArtifactSettings = { dir: null, mostBytes: 64 * 1024 * 1024 };
const fields = ['engine', 'artifacts', 'plugins', 'runs', 'platform', 'reporters', ...assistantFields];

/** The project that `cwd` is in: the nearest folder upward with a project file. Several side by side are one project. */
export function findProject(cwd: string): Project | undefined {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const files = [join(dir, projectFileName), join(dir, 'agentxchain.json'), paceFile(dir)];
    const toml = () => (isPynchyProject(dir) ? pynchyFile(dir) : undefined);
    const file = files.find((one) => existsSync(one)) ?? toml();
    if (file !== undefined) return readProject(file, dir);
    if (dirname(dir) === dir) return undefined;
  }
}

/** Reads the project of a file, with what stands beside it. Throws PROJECT_INVALID. */
export function readProject(file: string, dir = dirname(file)): Project {
  const pace = existsSync(paceFile(dir)) ? readYaml(paceFile(dir)) : undefined;
  const own = file === join(dir, projectFileName) ? readYaml(file) : undefined;
  const toml = readPynchyToml(dir);
  const pynchy = toml === undefined ? null : readPynchyPlugins(toml);
  for (const key of Object.keys(own?.root ?? {})) {
    if (!fields.includes(key)) throw own?.invalid([key], `unknown field, ${suggestion(key, fields)}`);
  }
  const reporting = [pace, own].map((yaml) => (yaml === undefined ? noReporting : readReporting(yaml)));
  const said = [pace, own].map((yaml) => (yaml === undefined ? noRuns : readRuns(yaml.root['runs'], yaml.invalid)));
  return {
    dir,
    file,
    engine: own === undefined ? null : readEngine(own),
    artifacts: own === undefined ? usualArtifacts : readArtifacts(dir, own),
    plugins: [
      ...(own === undefined ? [] : readPlugins(dir, own)),
      ...(pynchy === null || toml === undefined ? [] : modulesOf(dir, pynchy, toml.invalid)),
    ],
    builtins: own === undefined ? {} : readBuiltins(own),
    runs: [...(toml === undefined ? [] : [coreOf(toml)]), ...said].reduce(overlaid),
    pynchy,
    pace: pace === undefined ? null : readPace(dir, pace),
    reporting: {
      platform: reporting[1]?.platform ?? reporting[0]?.platform ?? null,
      reporters: reporting[1]?.reporters ?? reporting[0]?.reporters ?? null,
    },
    assistant: readAssistant([toml, own].filter((one) => one !== undefined)),
  };
}

function readEngine({ root, invalid }: YamlFile): Engine | null {
  const { engine = null } = root;
  if (engine === null || engine === 'embedded' || engine === 'postgres') return engine;
  throw invalid(['engine'], 'must be embedded or postgres');
}

function readArtifacts(project: string, { root, invalid }: YamlFile): ArtifactSettings {
  const { dir = null, max_mb = null } = fieldsOf(root['artifacts'] ?? {}, ['artifacts'], ['dir', 'max_mb'], invalid);
  if (dir !== null && (typeof dir !== 'string' || dir === '')) {
    throw invalid(['artifacts', 'dir'], 'must be a folder that all hosts see');
  }
  if (max_mb !== null && (typeof max_mb !== 'number' || !(max_mb > 0 && max_mb <= 512))) {
    throw invalid(['artifacts', 'max_mb'], 'must be a number of megabytes, at most 512');
  }
  return {
    dir: dir === null ? null : resolve(project, dir),
    mostBytes: max_mb === null ? usualArtifacts.mostBytes : max_mb * 1024 * 1024,
  };
}

function overlaid(below: RunSettings, above: RunSettings): RunSettings {
  return {
    core: above.core ?? below.core,
    roles: { ...below.roles, ...above.roles },
    runsOn: { ...below.runsOn, ...above.runsOn },
    approvers: { ...below.approvers, ...above.approvers },
  };
}

function pluginsOf({ root, invalid }: YamlFile): [string, unknown][] {
  const plugins = root['plugins'] ?? {};
  if (typeof plugins !== 'object' || Array.isArray(plugins)) throw invalid(['plugins'], 'must be an object by name');
  return Object.entries(plugins);
}

function readPlugins(dir: string, file: YamlFile): ProjectPlugin[] {
  return pluginsOf(file).flatMap(([name, entry]) => readPlugin(dir, name, entry, file.invalid));
}

/** The plugins of `config.toml` that are modules of the project. */
function modulesOf(
  dir: string,
  plugins: Readonly<Record<string, PynchyPluginSettings>>,
  invalid: Invalid,
): ProjectPlugin[] {
  return Object.entries(plugins).flatMap(([name, { path, enabled, config, grants }]) => {
    return path === null ? [] : readPlugin(dir, name, { path, enabled, config, grants }, invalid);
  });
}

function coreOf(toml: YamlFile): RunSettings {
  const core = readPynchyCore(toml);
  return core === null ? noRuns : { ...noRuns, core: { core, with: {} } };
}

/** Those that say nothing but how a plugin is set up that is there anyway. */
function readBuiltins(file: YamlFile): Record<string, BuiltinSettings> {
  const about = pluginsOf(file).filter(([, entry]) => isBuiltinEntry(entry));
  return Object.fromEntries(
    about.map(([name, entry]) => {
      const at = ['plugins', name];
      const { enabled = true, config } = entry as Record<string, unknown>;
      if (typeof enabled !== 'boolean') throw file.invalid([...at, 'enabled'], 'must be true or false');
      return [name, { enabled, config: fieldsOf(config ?? {}, [...at, 'config'], undefined, file.invalid) }];
    }),
  );
}

function readRuns(value: unknown, invalid: Invalid): RunSettings {
  if (value === undefined || value === null) return noRuns;
  const known = ['core', 'with', 'roles', 'approvers'];
  const runs = fieldsOf(value, ['runs'], known, invalid);
  const named = runs['roles'] === undefined ? {} : fieldsOf(runs['roles'], ['runs', 'roles'], undefined, invalid);
  const roles = Object.entries(named).map(([role, said]) => {
    const path = ['runs', 'roles', role];
    const fields = fieldsOf(said, path, ['core', 'with', 'runs-on'], invalid);
    return { role, path, fields };
  });
  return {
    core: runs['core'] === undefined ? null : readCasting(runs, ['runs'], known, invalid),
    roles: Object.fromEntries(
      roles
        // Where it runs can be said without who plays it.
        .filter(({ fields }) => fields['runs-on'] === undefined || 'core' in fields || 'with' in fields)
        .map(({ role, path, fields: { 'runs-on': _, ...casting } }) => [
          role,
          readCasting(casting, path, ['core', 'with'], invalid),
        ]),
    ),
    runsOn: Object.fromEntries(
      roles.flatMap(({ role, path, fields: { 'runs-on': labels } }) =>
        labels === undefined ? [] : [[role, readLabels(labels, [...path, 'runs-on'], invalid)]],
      ),
    ),
    approvers: readApprovers(runs['approvers'] ?? {}, invalid),
  };
}

function readApprovers(value: unknown, invalid: Invalid): RunSettings['approvers'] {
  const at = ['runs', 'approvers'];
  const named = Object.entries(fieldsOf(value, at, undefined, invalid)).map(([name, entry]) => {
    const { token_sha256 } = fieldsOf(entry, [...at, name], ['token_sha256'], invalid);
    if (typeof token_sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(token_sha256)) {
      throw invalid(
        [...at, name],
        'needs a "token_sha256": 64 hexadecimal digits, as "patchbay approver add" writes them',
      );
    }
    return [name, { token_sha256 }] as const;
  });
  return Object.fromEntries(named);
}

function readLabels(value: unknown, path: readonly string[], invalid: Invalid): string[] {
  return [value].flat().map((label) => {
    if (typeof label === 'string' && labelPattern.test(label)) return label;
    throw invalid(path, `${JSON.stringify(label)} must be ${labelWords}`);
  });
}

function readCasting(value: unknown, path: readonly string[], known: readonly string[], invalid: Invalid): Casting {
  const { core, with: settings = {} } = fieldsOf(value, path, known, invalid);
  if (typeof core !== 'string' || core === '') throw invalid([...path, 'core'], 'must be the name of an agent core');
  return { core, with: fieldsOf(settings, [...path, 'with'], undefined, invalid) };
}

function readPlugin(dir: string, name: string, entry: unknown, invalid: Invalid): ProjectPlugin[] {
  const at = ['plugins', name];
  if (isBuiltinEntry(entry)) return [];
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid(at, 'must have a "path"');
  const known = ['path', 'version', 'enabled', 'trusted', 'config', 'grants', 'signing'];
  for (const key of Object.keys(entry)) {
    if (!known.includes(key)) throw invalid([...at, key], `unknown field, ${suggestion(key, known)}`);
  }
  const { path, enabled = true, config, grants = [], signing } = entry as Record<string, unknown>;
  // Installed by `patchbay plugin install`: a package, not a module of the project.
  if (path === undefined && 'version' in entry) return [];
  if (typeof path !== 'string') throw invalid(at, 'needs a "path" to the module of the plugin');
  if (typeof enabled !== 'boolean') throw invalid([...at, 'enabled'], 'must be true or false');
  if (!Array.isArray(grants) || grants.some((grant) => typeof grant !== 'string')) {
    throw invalid([...at, 'grants'], 'must be a list of texts like "net:example.com"');
  }
  const absolute = resolve(dir, path);
  if (!absolute.startsWith(join(dir, '/'))) throw invalid([...at, 'path'], 'must stay inside the project');
  return [{ name, path: absolute, enabled, config: config ?? {}, grants, signing }];
}
