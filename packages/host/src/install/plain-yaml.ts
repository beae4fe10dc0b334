import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

/** Stands for a value that only the library can tell. */
const special = Symbol('special');

/**
 * What the text of a YAML file holds, or what is wrong with it first. The library compares every key of a map with all
 * the others and looks at each value for aliases, merging and tags, which takes longer the more plugins there are. Where
 * there is none of it, the value is taken from the nodes in one pass; else all is left to the library.
 */
export function readYamlText(text: string): { readonly value: unknown } | { readonly error: string } {
  const quick = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
  const value = quick.errors.length > 0 ? special : plain(quick.contents);
  if (value !== special) return { value };
  const document = parseDocument(text);
  const [error] = document.errors;
  return error === undefined ? { value: document.toJS() } : { error: error.message.split('\n')[0] ?? 'is not YAML' };
}

function plain(node: unknown): unknown {
  if (node === null) return null;
  if (isScalar(node)) return node.value;
  const isCollection = isMap(node) || isSeq(node);
  // With a tag it may be a set, or an ordered map.
  if (!isCollection || node.tag !== undefined) return special;
  if (isSeq(node)) {
    const values = node.items.map(plain);
    return values.includes(special) ? special : values;
  }
  const entries = new Map<unknown, unknown>();
  for (const { key, value } of node.items) {
    if (!isScalar(key) || typeof key.value !== 'string' || key.value === '<<') return special;
    entries.set(key.value, plain(value));
  }
  const isWhole = entries.size === node.items.length && ![...entries.values()].includes(special);
  return isWhole ? Object.fromEntries(entries) : special;
}
