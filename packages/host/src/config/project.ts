import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PatchbayError, suggestion } from 'patchbay-sdk';
import { type Document, isMap, LineCounter, parseDocument } from 'yaml';

/** A plugin that the project file names. */
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
}

const fileName = 'patchbay.yaml';

/** The project that `cwd` is in: the nearest folder upward with a project file. */
export function findProject(cwd: string): Project | undefined {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const file = join(dir, fileName);
    if (existsSync(file)) return readProject(file);
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
  const invalid = (path: readonly string[], what: string) => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    const range = (node as { range?: [number, number, number] } | null | undefined)?.range;
    const line = range === undefined ? '' : `:${lines.linePos(range[0]).line}`;
    const field = path.join('.');
    const where = field === '' ? '' : `"${field}": `;
    return new PatchbayError('PROJECT_INVALID', `${file}${line}: ${where}${what}`, { file, field });
  };
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const at = syntax.linePos?.[0].line;
    throw new PatchbayError('PROJECT_INVALID', `${file}${at ? `:${at}` : ''}: ${syntax.message.split('\n')[0]}`, {
      file,
    });
  }
  if (document.contents !== null && !isMap(document.contents)) throw invalid([], 'must hold fields, as in "plugins:"');
  const root = (document.toJS() ?? {}) as Record<string, unknown>;
  for (const key of Object.keys(root)) {
    if (key !== 'plugins') throw invalid([key], `unknown field, ${suggestion(key, ['plugins'])}`);
  }
  const plugins = root['plugins'] ?? {};
  if (typeof plugins !== 'object' || Array.isArray(plugins)) throw invalid(['plugins'], 'must be an object by name');
  const dir = dirname(file);
  return {
    dir,
    file,
    plugins: Object.entries(plugins).map(([name, entry]) => readPlugin(dir, name, entry, invalid)),
  };
}

function readPlugin(
  dir: string,
  name: string,
  entry: unknown,
  invalid: (path: readonly string[], what: string) => PatchbayError,
): ProjectPlugin {
  const at = ['plugins', name];
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid(at, 'must have a "path"');
  const known = ['path', 'enabled', 'config'];
  for (const key of Object.keys(entry)) {
    if (!known.includes(key)) throw invalid([...at, key], `unknown field, ${suggestion(key, known)}`);
  }
  const { path, enabled = true, config = {} } = entry as { path?: unknown; enabled?: unknown; config?: unknown };
  if (typeof path !== 'string') throw invalid(at, 'needs a "path" to the module of the plugin');
  if (typeof enabled !== 'boolean') throw invalid([...at, 'enabled'], 'must be true or false');
  const absolute = resolve(dir, path);
  if (!absolute.startsWith(join(dir, '/'))) throw invalid([...at, 'path'], 'must stay inside the project');
  return { name, path: absolute, enabled, config };
}
