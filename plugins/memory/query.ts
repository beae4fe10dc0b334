/** Scripts that are written without spaces: the words of a text cannot be told apart. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** What the index of words keeps; everything else separates words. */
const wordy = /[\p{L}\p{N}\p{Co}]/u;

/** How a text is looked for. Any text is legal. */
export interface Query {
  /** For the index of words; undefined if it has none. */
  readonly words: string | undefined;
  /** For the index of pieces of three characters; undefined if nothing in it needs that. */
  readonly pieces: string | undefined;
  /** Texts that neither index can find: shorter than three characters, or signs such as emoji. */
  readonly plain: readonly string[];
}

/** Whether a text must be kept in the index of pieces. */
export function needsPieces(text: string): boolean {
  return unspaced.test(text);
}

/** Reads a query: every word of it may occur, none must. Operators and quotes are words like any other. */
export function queryOf(text: string): Query {
  const parts = [
    ...new Set(
      text
        .replaceAll('\0', ' ')
        .split(/\s+/)
        .filter((part) => part !== ''),
    ),
  ];
  const words: string[] = [];
  const pieces: string[] = [];
  const plain: string[] = [];
  for (const part of parts) {
    if (unspaced.test(part)) ([...part].length < 3 ? plain : pieces).push(part);
    else if (wordy.test(part)) words.push(part);
    else plain.push(part);
  }
  return { words: anyOf(words), pieces: anyOf(pieces), plain };
}

function anyOf(parts: readonly string[]): string | undefined {
  return parts.length === 0 ? undefined : parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' OR ');
}

/** A pattern that finds the text anywhere, for LIKE with the escape `\`. */
export function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
