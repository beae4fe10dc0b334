import { messageOf, type Problem } from 'patchbay-sdk';
import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** A problem and the line it is in; null where there is none, as in an empty file. */
export interface LocatedProblem extends Problem {
  readonly line: number | null;
}

/** What YAML says, and where. */
export interface Source {
  readonly value: unknown;
  /** What kept it from being read; then `value` is undefined. */
  readonly problems: readonly LocatedProblem[];
  /** The line of a path like `phases[0].name`: of the name of the field, or of the nearest thing around it. */
  lineOf(path: string): number | null;
}

interface Wrong {
  readonly message: string;
  readonly offset?: number | undefined;
}

const mostBytes = 256 * 1024;
const mostProblems = 20;

/** Reads YAML of which nothing but JSON may come. Never throws. */
export function readYaml(text: string): Source {
  const lines = new LineCounter();
  const unread = (wrong: readonly Wrong[]): Source => ({
    value: undefined,
    problems: wrong.map(({ message, offset }) => ({ path: '', message, line: lineAt(lines, offset) })),
    lineOf: () => null,
  });
  if (Buffer.byteLength(text) > mostBytes) return unread([{ message: `is longer than ${mostBytes} bytes` }]);
  try {
    // Tags would bring dates, sets and bytes, which are no JSON.
    const options = { lineCounter: lines, prettyErrors: false, resolveKnownTags: false, stringKeys: true };
    const document = parseDocument(text, options);
    const faults = [...document.errors, ...document.warnings].map(({ message, pos: [offset] }) => ({
      message,
      offset,
    }));
    const wrong = [...faults, ...refused(document)].slice(0, mostProblems);
    if (wrong.length > 0) return unread(wrong);
    const lineOf = (path: string) => lineAt(lines, offsetOf(document, path.match(/[^.[\]]+/g) ?? []));
    return { value: document.toJS(), problems: [], lineOf };
  } catch (error) {
    return unread([{ message: `is not YAML: ${messageOf(error)}` }]);
  }
}

function lineAt(lines: LineCounter, offset: number | undefined): number | null {
  return offset === undefined ? null : lines.linePos(offset).line;
}

/** What YAML allows and no reader of ours should meet. */
function refused(document: Document): Wrong[] {
  const found: Wrong[] = [];
  visit(document, {
    Alias: (_, { source, range }) => {
      const message = `"*${source}" is an alias, which cannot be read here; a text that begins with * must be in quotes`;
      found.push({ message, offset: range?.[0] });
    },
    Scalar: (role, { value, range }) => {
      if (role !== 'key' || value !== '__proto__') return;
      found.push({ message: '"__proto__" cannot be the name of a field', offset: range?.[0] });
    },
  });
  return found;
}

/** Where a field begins: at its name, not at its value, which may be lines below. */
function offsetOf(document: Document, path: readonly string[]): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const part of path) {
    if (!isCollection(node)) break;
    const key = isMap(node)
      ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === part)?.key
      : null;
    node = node.get(part, true) ?? node.get(Number(part), true);
    const place = isScalar(key) ? key : node;
    if (!isNode(place)) break;
    offset = place.range?.[0];
  }
  return offset;
}
