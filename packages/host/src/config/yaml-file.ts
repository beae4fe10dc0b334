import { readFileSync } from 'node:fs';
import { messageOf, PatchbayError, suggestion } from 'patchbay-sdk';
import { type Document, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { yamlValue } from './yaml-value.ts';

/** Makes the error for what is wrong with the field at a path, with the line on which it stands. */
export type Invalid = (path: readonly string[], what: string) => PatchbayError;

/** What a YAML file holds. */
export interface YamlFile {
  readonly root: Readonly<Record<string, unknown>>;
  readonly invalid: Invalid;
}

/** Reads a YAML file of fields. Throws PROJECT_INVALID, which names the line. */
export function readYaml(file: string): YamlFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PatchbayError('PROJECT_INVALID', `cannot read ${file}: ${messageOf(error)}`, { file, cause: error });
  }
  const lines = new LineCounter();
  let parsed: Document | undefined;
  // Where something stands is asked only when it is wrong.
  const document = () => {
    parsed ??= parseDocument(text, { lineCounter: lines });
    return parsed;
  };
  const at = (offset: number | undefined, what: string, field?: string) => {
    const line = offset === undefined ? '' : `:${lines.linePos(offset).line}`;
    return new PatchbayError('PROJECT_INVALID', `${file}${line}: ${what}`, { file, field });
  };
  const invalid: Invalid = (path, what) => {
    const field = path.join('.');
    return at(offsetOf(document(), path), field === '' ? what : `"${field}": ${what}`, field);
  };
  let root: unknown;
  try {
    root = yamlValue(text) ?? {};
  } catch (error) {
    const { offset, what } = mistakeIn(document()) ?? { offset: undefined, what: messageOf(error) };
    throw at(offset, what);
  }
  if (typeof root !== 'object' || Array.isArray(root)) throw invalid([], 'must hold fields, as in "plugins:"');
  return { root: root as Readonly<Record<string, unknown>>, invalid };
}

/** What is wrong with a text that could not be read, and where: the document has the better words for it. */
function mistakeIn(document: Document): { offset: number | undefined; what: string } | undefined {
  const [syntax] = document.errors;
  if (syntax !== undefined) return { offset: syntax.pos[0], what: syntax.message.split('\n')[0] ?? 'is not YAML' };
  try {
    document.toJS();
    return undefined;
  } catch (error) {
    let offset: number | undefined;
    visit(document, {
      Alias(_, node) {
        offset = node.range?.[0];
        return visit.BREAK;
      },
    });
    const what = `${messageOf(error)} (a value that begins with * is an alias; put it in quotes)`;
    return { offset, what };
  }
}

/** A value that must hold fields: of these names only, if any are given. */
export function fieldsOf(
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
