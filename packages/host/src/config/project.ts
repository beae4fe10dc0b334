import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PatchbayError, suggestion } from 'patchbay-sdk';
import { type Document, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** A module of the project that its file names as a plugin. */
export interface ProjectPlugin {
  readonly name: string;
  /** The module to load, absolute. */
  readonly path: string;
  readonly enabled: boolean;
  readonly config: unknown;
}

/** What the project file says. */
export interface Project {
  readonly dir: string;
  readonly file: string;
  readonly plugins: readonly ProjectPlugin[];
  readonly runs: RunSettings;
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
}

const noRuns: RunSettings = { core: null, roles: {} };

const fileName = 'patchbay.yaml';
const fields = ['plugins', 'runs'];

/** The project that `cwd` is in: the nearest folder upward with a project file. */
export function findProject(cwd: string): Project | undefined {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const file = join(dir, fileName);
    if (existsSync(file)) return readProject(file);
    const agentxchain = join(dir, 'agentxchain.json');
    // It names installed packages only, no modules.
    if (existsSync(agentxchain)) return { dir, file: agentxchain, plugins: [], runs: noRuns };
    if (dirname(dir) === dir) return undefined;
  }
}

function readProject(file: string): Project {
  const lines = new LineCounter();
  let document: Document;
  try {
    document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines });
  } catch (error) {
    throw new PatchbayError('PROJECT_INVALID', `cannot read ${file}: ${messageOf(error)}`, { file, cause: error });
  }
  const at = (offset: number | undefined, what: string, field?: string) => {
    const line = offset === undefined ? '' : `:${lines.linePos(offset).line}`;
    return new PatchbayError('PROJECT_INVALID', `${file}${line}: ${what}`, { file, field });
  };
  const invalid = (path: readonly string[], what: string) => {
    const field = path.join('.');
    return at(offsetOf(document, path), field === '' ? what : `"${field}": ${what}`, field);
  };
  const [syntax] = document.errors;
  if (syntax !== undefined) throw at(syntax.pos[0], syntax.message.split('\n')[0] ?? 'is not YAML');
  if (document.contents !== null && !isMap(document.contents)) throw invalid([], 'must hold fields, as in "plugins:"');
  let root: Record<string, unknown>;
  try {
    root = document.toJS() ?? {};
  } catch (error) {
    let alias: number | undefined;
    visit(document, {
      Alias(_, node) {
        alias = node.range?.[0];
        return visit.BREAK;
      },
    });
    throw at(alias, `${messageOf(error)} (a value that begins with * is an alias; put it in quotes)`);
  }
  for (const key of Object.keys(root)) {
    if (!fields.includes(key)) throw invalid([key], `unknown field, ${suggestion(key, fields)}`);
  }
  const plugins = root['plugins'] ?? {};
  if (typeof plugins !== 'object' || Array.isArray(plugins)) throw invalid(['plugins'], 'must be an object by name');
  const dir = dirname(file);
  return {
    dir,
    file,
    plugins: Object.entries(plugins).flatMap(([name, entry]) => readPlugin(dir, name, entry, invalid)),
    runs: readRuns(root['runs'], invalid),
  };
}

type Invalid = (path: readonly string[], what: string) => PatchbayError;

function readRuns(value: unknown, invalid: Invalid): RunSettings {
  if (value === undefined || value === null) return noRuns;
  const known = ['core', 'with', 'roles'];
  const runs = fieldsOf(value, ['runs'], known, invalid);
  const roles = runs['roles'] === undefined ? {} : fieldsOf(runs['roles'], ['runs', 'roles'], undefined, invalid);
  return {
    core: runs['core'] === undefined ? null : readCasting(runs, ['runs'], known, invalid),
    roles: Object.fromEntries(
      Object.entries(roles).map(([role, casting]) => [
        role,
        readCasting(casting, ['runs', 'roles', role], ['core', 'with'], invalid),
      ]),
    ),
  };
}

function readCasting(value: unknown, path: readonly string[], known: readonly string[], invalid: Invalid): Casting {
  const { core, with: settings = {} } = fieldsOf(value, path, known, invalid);
  if (typeof core !== 'string' || core === '') throw invalid([...path, 'core'], 'must be the name of an agent core');
  return { core, with: fieldsOf(settings, [...path, 'with'], undefined, invalid) };
}

function fieldsOf(
  value: unknown,
  path: readonly string[],
  known: readonly string[] | undefined,
  invalid: Invalid,
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'must hold fields');
  for (const key of known === undefined ? [] : Object.keys(value)) {
    if (!known?.includes(key)) throw invalid([...path, key], `unknown field, ${suggestion(key, known ?? [])}`);
  }
  return value as Record<string, unknown>;
}

/** Where a field begins: at its name, not at its value, which may be lines below. */
function offsetOf(document: Document, path: readonly string[]): number | undefined {
  const last = path.at(-1);
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === last) : undefined;
  return isScalar(pair?.key) ? pair.key.range?.[0] : (parent as { range?: [number] } | null | undefined)?.range?.[0];
}

function readPlugin(
  dir: string,
  name: string,
  entry: unknown,
  invalid: (path: readonly string[], what: string) => PatchbayError,
): ProjectPlugin[] {
  const at = ['plugins', name];
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid(at, 'must have a "path"');
  const known = ['path', 'version', 'enabled', 'trusted', 'config'];
  for (const key of Object.keys(entry)) {
    if (!known.includes(key)) throw invalid([...at, key], `unknown field, ${suggestion(key, known)}`);
  }
  const { path, enabled = true, config } = entry as { path?: unknown; enabled?: unknown; config?: unknown };
  // Installed by `patchbay plugin install`: a package, not a module of the project.
  if (path === undefined && 'version' in entry) return [];
  if (typeof path !== 'string') throw invalid(at, 'needs a "path" to the module of the plugin');
  if (typeof enabled !== 'boolean') throw invalid([...at, 'enabled'], 'must be true or false');
  const absolute = resolve(dir, path);
  if (!absolute.startsWith(join(dir, '/'))) throw invalid([...at, 'path'], 'must stay inside the project');
  return [{ name, path: absolute, enabled, config: config ?? {} }];
}
