import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser';
import { isMap, parseDocument } from 'yaml';
import type { Home } from './home.ts';
import { parseConfig } from './registry.ts';

type Fields = { version?: string; enabled?: boolean; config?: Readonly<Record<string, unknown>> };

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
