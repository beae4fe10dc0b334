import { createHash } from 'node:crypto';

const alphabets = {
  hex: '0123456789abcdef',
  HEX: '0123456789ABCDEF',
  digits: '0123456789',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  any: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  base64: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/',
  url: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_',
};

/** Text that looks random and is the same each time: no key stands in this repository, not even an invented one. */
export function made(length: number, kind: keyof typeof alphabets = 'any', seed = ''): string {
  const alphabet = alphabets[kind];
  let text = '';
  for (let i = 0; text.length < length; i++) {
    const bytes = createHash('sha256').update(`${seed} ${kind} ${length} ${i}`).digest();
    text += [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
  }
  return text.slice(0, length);
}

/** The pieces of a key put together, which stand apart here so that no scanner takes them for one. */
export function joined(...parts: readonly string[]): string {
  return parts.join('');
}

/** A private key in PEM form. */
export function pem(label: string, lines = 12): string {
  const dashes = '-'.repeat(5);
  const body = Array.from({ length: lines }, (_, i) => made(64, 'base64', `${label}${i}`));
  return [`${dashes}BEGIN ${label}${dashes}`, ...body, `${dashes}END ${label}${dashes}`, ''].join('\n');
}

/** A commit to pin an action to. */
export function commit(of: string): string {
  return made(40, 'hex', of);
}
