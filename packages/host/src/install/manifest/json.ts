import { readFileSync, statSync } from 'node:fs';
import { type ParseError, parse, printParseErrorCode, visit } from 'jsonc-parser';
import { messageOf, PatchbayError } from 'patchbay-sdk';

/**
 * Reads a JSON file as strictly as the format is meant: UTF-8 without a byte-order mark, no comments, no name twice in
 * one object, no more than `mostBytes` (a megabyte). Throws MANIFEST_INVALID with the file and, where there is one, the line.
 */
export function readJson(file: string, mostBytes = 1024 * 1024): unknown {
  const invalid = (what: string, line?: number) =>
    new PatchbayError('MANIFEST_INVALID', `${file}${line === undefined ? '' : `:${line}`}: ${what}`, { file });
  let bytes: Buffer;
  try {
    const { size } = statSync(file);
    if (size > mostBytes) throw invalid(`is ${size} bytes long, more than ${mostBytes} are not read`);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof PatchbayError) throw error;
    throw new PatchbayError('MANIFEST_INVALID', `${file} cannot be read: ${messageOf(error)}`, { file, cause: error });
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb) throw invalid('begins with a byte-order mark: save it as plain UTF-8');
  if (bytes.includes(0)) throw invalid('is not UTF-8 (UTF-16, perhaps): save it as plain UTF-8');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('is not valid UTF-8');
  }
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const errors: ParseError[] = [];
  let value: unknown;
  let twice: ReturnType<typeof repeatedName>;
  try {
    value = parse(text, errors, { disallowComments: true });
    twice = repeatedName(text);
  } catch {
    throw invalid('is nested too deep');
  }
  const [first] = errors;
  if (first !== undefined) throw invalid(`is not JSON: ${printParseErrorCode(first.error)}`, lineAt(first.offset));
  if (twice !== undefined) throw invalid(`has "${twice.name}" twice in one object`, lineAt(twice.offset));
  return value;
}

/** A name that stands twice in one object: which of the two counts would depend on the reader. */
function repeatedName(text: string): { name: string; offset: number } | undefined {
  const open: Set<string>[] = [];
  let found: { name: string; offset: number } | undefined;
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, offset) => {
      const names = open.at(-1);
      if (names?.has(name)) found ??= { name, offset };
      names?.add(name);
    },
  });
  return found;
}
