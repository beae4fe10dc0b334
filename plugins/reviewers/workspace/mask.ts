/** The same text twice, with what is not code made into spaces: every place keeps its offset. */
export interface Masked {
  /** Without comments. */
  readonly code: string;
  /** Without comments and without what stands between quotes. */
  readonly bare: string;
}

/** How a language writes comments and strings; each alternative is tried at every place, in this order. */
const lexicons = {
  python:
    /(?<comment>#[^\n]*)|(?<open>'''|""")(?:\\[\s\S]|(?!\k<open>)[^\\])*(?:\k<open>|$)|(?<quote>["'])(?:\\[\s\S]|(?!\k<quote>)[^\\\n])*\k<quote>?/g,
  curly:
    /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<open>`)(?:\\[\s\S]|[^\\`])*(?:`|$)|(?<quote>["'])(?:\\[\s\S]|(?!\k<quote>)[^\\\n])*\k<quote>?/g,
} as const;

/** Masks comments and strings. Never throws; a text that is not of the language gives something of the same length. */
export function mask(text: string, language: keyof typeof lexicons): Masked {
  const code: string[] = [];
  const bare: string[] = [];
  let end = 0;
  for (const match of text.matchAll(lexicons[language])) {
    const [found] = match;
    const between = text.slice(end, match.index);
    const quotes = match.groups?.['open'] ?? match.groups?.['quote'];
    code.push(between, quotes === undefined ? blank(found) : found);
    bare.push(between, quotes === undefined ? blank(found) : emptied(found, quotes.length));
    end = match.index + found.length;
  }
  const rest = text.slice(end);
  return { code: code.join('') + rest, bare: bare.join('') + rest };
}

function emptied(literal: string, quotes: number): string {
  if (literal.length < 2 * quotes) return literal;
  return literal.slice(0, quotes) + blank(literal.slice(quotes, -quotes)) + literal.slice(-quotes);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** A call found in a masked text. */
export interface Call {
  /** What stands before the parenthesis. */
  readonly name: string;
  /** Each argument as it is written, strings included. */
  readonly args: readonly string[];
  readonly offset: number;
}

/** Every call whose name the pattern finds, up to the parenthesis. */
export function* callsIn({ code, bare }: Masked, name: RegExp): Generator<Call> {
  for (const match of bare.matchAll(new RegExp(`(?:${name.source})(?=\\()`, 'g')))
    yield { name: match[0], args: argumentsAt(code, bare, match.index + match[0].length), offset: match.index };
}

function argumentsAt(code: string, bare: string, open: number): string[] {
  const args: string[] = [];
  let start = open + 1;
  let depth = 0;
  for (let at = start; at < bare.length; at++) {
    const char = bare[at] ?? '';
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && depth-- === 0) {
      args.push(code.slice(start, at).trim());
      break;
    } else if (char === ',' && depth === 0) {
      args.push(code.slice(start, at).trim());
      start = at + 1;
    }
  }
  return args.filter((arg) => arg !== '');
}
