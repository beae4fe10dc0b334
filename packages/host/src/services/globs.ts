/** Whether a name is one that a pattern means, in which `*` stands for any text. */
export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const [first = ''] = parts;
  if (parts.length === 1) return first === name;
  const last = parts.at(-1) ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** What is said of a name by the most exact pattern that means it: the name itself, else the one with the most letters. */
export function mostExact<T>(said: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(said, name)) return said[name];
  const lettersOf = (pattern: string) => pattern.replaceAll('*', '').length;
  const meant = Object.keys(said).filter((pattern) => pattern.includes('*') && matches(pattern, name));
  const [best] = meant.toSorted((a, b) => lettersOf(b) - lettersOf(a));
  return best === undefined ? undefined : said[best];
}
