import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import validRange from 'semver/ranges/valid.js';
import { type GitSource, gitText, looksLikeGit, parseGit, withoutSecrets } from './git-url.ts';
import { shownName } from './names.ts';

/** A folder on this machine, absolute. */
export interface DirectorySource {
  readonly kind: 'directory';
  readonly path: string;
}
/** A `.tar.gz`, `.tgz` or `.tar` file on this machine, absolute. */
export interface TarSource {
  readonly kind: 'tar';
  readonly path: string;
}
/** A `.zip` file on this machine, absolute. */
export interface ZipSource {
  readonly kind: 'zip';
  readonly path: string;
}
/** A package of the npm registry. */
export interface NpmSource {
  readonly kind: 'npm';
  readonly name: string;
  /** A version, a range or a tag; undefined is `latest`. */
  readonly range: string | undefined;
}
/** A package that comes with Patchbay. */
export interface BuiltinSource {
  readonly kind: 'builtin';
  /** Its short name: also that of its folder. */
  readonly name: string;
}

/** Where a plugin is brought from. */
export type Source = DirectorySource | TarSource | ZipSource | NpmSource | GitSource | BuiltinSource;

/** The packages that need no registry: short name to the name the documents give. */
export const builtins: Readonly<Record<string, string>> = {
  'plugin-slack-notify': '@agentxchain/plugin-slack-notify',
  'plugin-json-report': '@agentxchain/plugin-json-report',
};

const archive = /\.(?:tar\.gz|tgz|tar|zip)$/i;
const pathLike = /^(?:\.{1,2}|~)?[\\/]|^\.{1,2}$/;
const npmSpec = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@(.*))?$/i;
const tag = /^[a-z][a-z0-9._-]*$/i;

/**
 * Understands what somebody typed, or a lock file says, as a source; paths are relative to `cwd`. What exists as a path is
 * that path, even if it could be the name of a package: `npm:name` and `builtin:name` always mean the package.
 * Looks at the disk, nowhere else. Throws SOURCE_INVALID.
 */
export function parseSource(text: string, cwd: string): Source {
  const invalid = (why: string) => new PatchbayError('SOURCE_INVALID', `${shownName(withoutSecrets(text))} ${why}`);
  if (text.trim() === '') throw invalid('names no source');
  if (/\p{Cc}/u.test(text)) throw invalid('has a control character');
  if (text.startsWith('npm:')) return parseNpm(text.slice('npm:'.length), invalid);
  if (text.startsWith('builtin:')) return parseBuiltin(text.slice('builtin:'.length), invalid);
  if (looksLikeGit(text)) return parseGit(text);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw invalid('is no URL of a git repository; those start with git+https:// or end with .git');
  const path = parsePath(resolve(cwd, text), invalid);
  if (path !== undefined) return path;
  if (pathLike.test(text) || isAbsolute(text) || (archive.test(text) && !text.includes('://'))) {
    throw invalid(`does not exist (${resolve(cwd, text)})`);
  }
  const builtin = Object.entries(builtins).find((names) => names.includes(text));
  return builtin === undefined ? parseNpm(text, invalid) : { kind: 'builtin', name: builtin[0] };
}

/** The text that `parseSource` understands as this source, whatever exists beside it. A path is relative to `base`, if given. */
export function sourceText(source: Source, base?: string): string {
  switch (source.kind) {
    case 'npm':
      return source.range === undefined ? `npm:${source.name}` : `npm:${source.name}@${source.range}`;
    case 'builtin':
      return `builtin:${source.name}`;
    case 'git':
      return gitText(source);
    default:
      return base === undefined ? source.path : relativePath(base, source.path);
  }
}

function relativePath(base: string, path: string): string {
  const way = relative(base, path).split(sep).join('/');
  // On Windows, another drive has no relative path.
  return isAbsolute(way) || way === '..' || way.startsWith('../') ? way : `./${way}`;
}

type Invalid = (why: string) => PatchbayError;

function parsePath(path: string, invalid: Invalid): Source | undefined {
  let isFolder: boolean;
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (!stat.isDirectory() && !stat.isFile()) throw new Error('it is neither a file nor a folder');
    isFolder = stat.isDirectory();
  } catch (error) {
    throw invalid(`cannot be read (${path}): ${messageOf(error)}`);
  }
  if (isFolder) return { kind: 'directory', path };
  if (!archive.test(path)) throw invalid(`is a file, but no .tar.gz, .tgz, .tar or .zip (${path})`);
  return { kind: /\.zip$/i.test(path) ? 'zip' : 'tar', path };
}

function parseBuiltin(name: string, invalid: Invalid): BuiltinSource {
  if (!Object.hasOwn(builtins, name)) throw invalid(`is none of ${Object.keys(builtins).join(', ')}`);
  return { kind: 'builtin', name };
}

function parseNpm(text: string, invalid: Invalid): NpmSource {
  const [, name, range = ''] = npmSpec.exec(text) ?? [];
  if (name === undefined || name.length > 214) throw invalid('is no path that exists and no name of a package');
  // npm itself takes URLs, aliases and paths after the @; those would come from somewhere else than the name says.
  if (range !== '' && validRange(range) === null && !tag.test(range)) {
    throw invalid(`has no version, range or tag after the @: ${shownName(range)}`);
  }
  return { kind: 'npm', name, range: range === '' ? undefined : range };
}
