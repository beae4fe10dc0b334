import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** The names and numbers that lead to a value. */
export type Place = readonly (string | number)[];

/** A YAML file with its values, and the line of each. */
export class YamlFile {
  readonly path: string;
  /** The whole content; undefined if the file is not valid. */
  readonly value: unknown;
  /** What is wrong with the file and where; null if nothing is. */
  readonly problem: { readonly line: number; readonly says: string } | null;
  readonly #root: Node | null;
  readonly #lines = new LineCounter();

  constructor(path: string, text: string) {
    this.path = path;
    const document = parseDocument(text, { lineCounter: this.#lines, uniqueKeys: true });
    this.#root = document.contents;
    const [error] = document.errors;
    this.problem = error ? { line: this.#lines.linePos(error.pos[0]).line, says: firstLine(error.message) } : null;
    this.value = error ? undefined : attempt(() => document.toJS({ maxAliasCount: 100 }));
  }

  /** The line on which the value at a place begins, or its key if it has one. The nearest around it if it is not there. */
  lineAt(...place: Place): number {
    return this.#lines.linePos(this.#find(place).offset).line;
  }

  /** The line on which the text at a place begins: after a `|` it is the next one. */
  textLineAt(...place: Place): number {
    const { node, offset } = this.#find(place);
    if (!isScalar(node)) return this.#lines.linePos(offset).line;
    return this.#lines.linePos(node.range?.[0] ?? offset).line + (node.type?.startsWith('BLOCK_') ? 1 : 0);
  }

  #find(place: Place): { readonly node: unknown; readonly offset: number } {
    let node: unknown = this.#root;
    let offset = this.#root?.range?.[0] ?? 0;
    for (const step of place) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
        if (isScalar(pair?.key)) offset = pair.key.range?.[0] ?? offset;
        node = pair?.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        offset = (node as Node | undefined)?.range?.[0] ?? offset;
      } else break;
    }
    return { node, offset };
  }
}

/** An object, empty for anything else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** A list, of one for anything else but nothing. */
export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined; // Aliases that multiply: not a file that CI would take.
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
