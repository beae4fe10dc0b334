/**
 * PostgreSQL keeps every character but NUL. In its place stands a character that nobody uses, with a digit after it; so that
 * this one can be kept too, it has a digit of its own. The order of texts stays what it is.
 */
const mark = '\u0001';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant.
const special = /[\u0000\u0001]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant.
const escaped = /\u0001([01])/g;

/** A text as PostgreSQL can keep it. */
export function keepable(text: string): string {
  // Hardly any text has one of them: looking is all that it costs.
  return text.search(special) < 0 ? text : text.replaceAll(special, (one) => mark + one.charCodeAt(0));
}

/** The text that was made keepable. */
export function asGiven(kept: string): string {
  return kept.includes(mark)
    ? kept.replaceAll(escaped, (_, digit: string) => String.fromCharCode(Number(digit)))
    : kept;
}
