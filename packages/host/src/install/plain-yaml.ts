import { parseDocument } from 'yaml';

/**
 * What the text of a YAML file holds, or what is wrong with it first. The library takes a tenth of a millisecond for each
 * plugin; a text that has nothing in it but what installing writes and comments is read without it.
 */
export function readYamlText(text: string): { readonly value: unknown } | { readonly error: string } {
  const plain = plainFields(text);
  if (plain !== undefined) return { value: plain };
  const document = parseDocument(text);
  const [error] = document.errors;
  return error === undefined ? { value: document.toJS() } : { error: error.message.split('\n')[0] ?? 'is not YAML' };
}

type Fields = Record<string, unknown>;

const nothing = /^ *(?:#.*)?$/;
/** Indentation, name and, where there is one, a value that can only be a word or a version. */
const field = /^( *)([a-z][\w-]*):(?: ([a-z][a-z-]*|\d+\.\d+\.\d+(?:[-+][\w.+-]*)?))?$/;
/** Words that stand for something else. As names they are left to the library. */
const meanings: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** The fields of a text that consists of nothing else, one below the other; undefined if there is anything else in it. */
function plainFields(text: string): Fields | undefined {
  const root: Fields = {};
  let level = { indent: 0, fields: root };
  const outer: (typeof level)[] = [];
  /** The field before, if it has no value and may turn out to have fields. */
  let bare: string | undefined;
  for (const line of text.split('\n')) {
    if (nothing.test(line)) continue;
    const [matched, { length: indent } = '', name = '', word] = field.exec(line) ?? [];
    if (matched === undefined || meanings.has(name)) return undefined;
    if (bare !== undefined && indent > level.indent) {
      const fields: Fields = {};
      level.fields[bare] = fields;
      outer.push(level);
      level = { indent, fields };
    }
    while (indent < level.indent) level = outer.pop() ?? { indent: 0, fields: root };
    if (indent !== level.indent || Object.hasOwn(level.fields, name)) return undefined;
    level.fields[name] = word === undefined ? null : meanings.has(word) ? meanings.get(word) : word;
    bare = word === undefined ? name : undefined;
  }
  return Object.keys(root).length === 0 ? undefined : root;
}
