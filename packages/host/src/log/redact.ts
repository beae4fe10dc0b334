/** Shorter values are words like `on`: nothing to hide, and everywhere. */
const shortest = 4;

/**
 * Makes a function that takes secrets out of anything: texts, and those in lists and records. In any case, and also as they
 * stand in JSON, in a header without the blanks around them, or in bytes that were read as Latin-1.
 */
export function hiding(secrets: Iterable<string>): <T>(value: T) => T {
  const forms = [...secrets].flatMap((secret) => [
    secret,
    secret.trim(),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret, 'latin1').toString(),
  ]);
  const hidden = [...new Set(forms)]
    .filter((form) => form.length >= shortest)
    // One may hold another.
    .sort((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  if (hidden.length === 0) return (value) => value;
  const pattern = new RegExp(hidden.join('|'), 'gi');
  const inAny = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(pattern, '***');
    if (Array.isArray(value)) return value.map(inAny);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [inAny(key), inAny(one)]));
  };
  return (value) => inAny(value) as typeof value;
}
