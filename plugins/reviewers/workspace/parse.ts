import { SourceMap, stripTypeScriptTypes } from 'node:module';
import { type Node, parse as parseScript } from 'acorn';
import { Lines } from './lines.ts';

/** A module that could be parsed. */
export interface Parsed {
  readonly program: Node;
  /** What was parsed: offsets of nodes are into this. */
  readonly code: string;
  /** The text as written, if offsets are the same in it; else null. */
  readonly written: string | null;
  /** The line of a node in the file. */
  lineOf(node: Node): number;
}

/** Parses JavaScript or TypeScript; null if it cannot be, as with JSX. */
export function parse(path: string, text: string): Parsed | null {
  try {
    if (/\.[cm]?ts$/.test(path)) return typed(text);
    const lines = new Lines(text);
    return { program: programOf(text), code: text, written: text, lineOf: ({ start }) => lines.at(start) };
  } catch {
    return null;
  }
}

function typed(text: string): Parsed {
  try {
    const code = stripTypeScriptTypes(text);
    const lines = new Lines(code);
    return { program: programOf(code), code, written: text, lineOf: ({ start }) => lines.at(start) };
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw cause;
    return transformed(text);
  }
}

/** Enums and the like become code, which moves what comes after them. */
function transformed(text: string): Parsed {
  const code = stripTypeScriptTypes(text, { mode: 'transform', sourceMap: true });
  const inline = code.slice(code.lastIndexOf('base64,') + 'base64,'.length);
  const map = new SourceMap(JSON.parse(Buffer.from(inline, 'base64').toString('utf8')));
  const lines = new Lines(code);
  const lineOf = ({ start }: Node) => {
    const entry = map.findEntry(lines.at(start) - 1, start - (code.lastIndexOf('\n', start - 1) + 1));
    return 'originalLine' in entry ? entry.originalLine + 1 : 1;
  };
  return { program: programOf(code), code, written: null, lineOf };
}

function programOf(code: string): Node {
  const loose = { ecmaVersion: 'latest', allowReturnOutsideFunction: true, allowHashBang: true } as const;
  try {
    return parseScript(code, { ...loose, sourceType: 'module' });
  } catch {
    return parseScript(code, { ...loose, sourceType: 'script' });
  }
}
