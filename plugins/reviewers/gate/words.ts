const idle = new Set(
  `a an and any are as at be been being by can cannot could do does for from given had has have if in into is it its may
  must not of on only or shall should so such than that the their them then there these they this to up upon was were when
  where which while who will with without would you your user users system able also both each every new via per test
  tests testing work works correctly properly include includes case`.split(/\s+/),
);

/** The words of a text that carry meaning, each once, cut back to their stems: `returnsTotals` gives `return`, `total`. */
export function wordsOf(text: string): Set<string> {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Za-z])(\d)/g, '$1 $2');
  const words = spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !idle.has(word) && (word.length > 1 || /\d/.test(word))).map(stem));
}

/** The share of these words that a text's words hold, from 0 to 1; 0 if there are none. */
export function coverage(wanted: ReadonlySet<string>, held: ReadonlySet<string>): number {
  return wanted.size === 0 ? 0 : [...wanted].filter((word) => held.has(word)).length / wanted.size;
}

/** Crude on purpose: both sides are cut alike, so that only their agreement matters. */
function stem(word: string): string {
  if (word.length < 4 || /^\d/.test(word)) return word;
  const cut = word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?:sses)$/, 'ss')
    .replace(/(?<=.{3})(?:ations?|ings?|ed|es|s|ly)$/, '');
  return cut.replace(/([bdfgmnprt])\1$/, '$1').replace(/(?<=.{3})e$/, '');
}
