import { applyEdits, type FormattingOptions, modify, type ParseError, parse } from 'jsonc-parser';
import { PatchbayError } from 'patchbay-sdk';
import { isMap, parseDocument } from 'yaml';
import { isBuiltinEntry } from '../config/builtin-entry.ts';
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

type Fields = { version?: string; enabled?: boolean; config?: Readonly<Record<string, unknown>> };

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

/** The text with a plugin put in or changed; everything else, comments and order included, as it was. */
export function withPlugin(home: Home, before: string | null, name: string, fields: Fields): string {
  const text = before ?? '';
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (home.kind === 'agentxchain') {
    return set.reduce((json, [field, value]) => editJson(json, ['plugins', name, field], value), text);
  }
  const document = parseDocument(text);
  const plugins = document.get('plugins', true);
  if (!isMap(plugins)) document.set('plugins', document.createNode({}));
  // `plugins: {}` is how an empty one is written; a full one reads better line by line.
  else if (plugins.items.length === 0) plugins.flow = false;
  for (const [field, value] of set) document.setIn(['plugins', name, field], document.createNode(value));
  return document.toString();
}

/** The text without a plugin; everything else as it was. */
export function withoutPlugin(home: Home, before: string | null, name: string): string {
  const text = before ?? '';
  if (home.kind === 'agentxchain') {
    const names = Object.keys((parseConfig(home, text)['plugins'] ?? {}) as object);
    const isLast = names.length === 1 && names[0] === name;
    return isLast ? editJson(text, ['plugins'], {}) : editJson(text, ['plugins', name], undefined);
  }
  const document = parseDocument(text);
  document.deleteIn(['plugins', name]);
  return document.toString();
}

function editJson(text: string, path: string[], value: unknown): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const formattingOptions: FormattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

function parseConfig(home: Home, text: string): Record<string, unknown> {
  let value: unknown;
  if (home.kind === 'agentxchain') {
    const errors: ParseError[] = [];
    value = parse(text, errors);
    if (errors.length > 0) throw invalid(home, 'is not JSON');
  } else {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) throw invalid(home, error.message.split('\n')[0] ?? 'is not YAML');
    value = document.toJS() ?? {};
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(home, 'must be an object');
  return value as Record<string, unknown>;
}

function invalid(home: Home, what: string): PatchbayError {
  return new PatchbayError('PROJECT_INVALID', `${home.configFile}: ${what}`, { file: home.configFile });
}
