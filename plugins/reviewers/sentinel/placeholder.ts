/** Words that stand in for a secret, and the tokens of RFC 6749. */
const words =
  /example|sample|placeholder|change[_-]?me|your[_-]|xxxx|fake|dummy|redacted|insert|replace|not[_-]?a[_-]?real|2YotnFZF|tGzv3JOk|[<>*]|\$\{|\{\{|\.\.\.|%s/i;
const repeated = /(.)\1{5}|(.{2,16}?)\2{2}/;

/** Whether a text that has the form of a secret is plainly none: it says so, it repeats itself, it counts up. */
export function isPlaceholder(secret: string): boolean {
  return words.test(secret) || repeated.test(secret) || counts(secret) || entropyOf(secret) < 2.7;
}

/** Bits per character, from how often each occurs. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Whether six characters in a row each follow the one before: `abcdef`, `123456`. */
function counts(text: string): boolean {
  let row = 1;
  for (let at = 1; at < text.length; at++) {
    row = text.charCodeAt(at) === text.charCodeAt(at - 1) + 1 ? row + 1 : 1;
    if (row === 6) return true;
  }
  return false;
}
