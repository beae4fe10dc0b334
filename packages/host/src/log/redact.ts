/** Shorter values are words that happen to be in the environment; hiding them would only garble texts. */
const least = 4;

/** Makes a function that hides secret values wherever they stand in a text. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  // The longest first: one secret may be part of another.
  const values = [...new Set(secrets)].filter((value) => value.length >= least).sort((a, b) => b.length - a.length);
  if (values.length === 0) return (text) => text;
  return (text) => values.reduce((hidden, value) => hidden.replaceAll(value, '***'), text);
}
