/** Shorter values are words like `on`: nothing to hide, and everywhere. */
const shortest = 4;
const longest = 4096;

/**
 * Makes a function that prepares what somebody else wrote for people: secrets taken out (in any case, as a server may
 * echo them), control characters made blank, and an end put to it.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [
    secret,
    secret.trim(),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret, 'latin1').toString(), // The bytes of a header, read as an answer is.
  ]);
  const hidden = [...new Set(forms)]
    .filter((form) => form.length >= shortest)
    .sort((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const pattern = hidden.length === 0 ? undefined : new RegExp(hidden.join('|'), 'gi');
  return (text) => {
    const clean = (pattern === undefined ? text : text.replaceAll(pattern, '[secret]')).replaceAll(/\p{Cc}/gu, ' ');
    return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
  };
}
