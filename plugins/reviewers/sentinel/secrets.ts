import type { Concern } from '../concern.ts';
import type { TextFile } from '../workspace/files.ts';
import { Lines } from '../workspace/lines.ts';
import { isProse, isTest } from '../workspace/paths.ts';
import { addressSecrets } from './address-secrets.ts';
import { assignedSecrets } from './assigned-secrets.ts';
import { placedSecrets } from './placed-secrets.ts';
import { isPlaceholder } from './placeholder.ts';
import type { Secret } from './secret.ts';
import { secretKinds } from './secret-kinds.ts';

/** Secrets in a file, one concern for each line that holds one. The concern tells the kind and the length, not the secret. */
export function secretsIn({ path, text }: TextFile): Concern[] {
  const lines = new Lines(text);
  const found = [knownSecrets, addressSecrets, placedSecrets, assignedSecrets].flatMap((search) => [
    ...search(path, text),
  ]);
  const byLine = new Map<number, Secret>();
  for (const secret of found) {
    const line = lines.at(secret.offset);
    if (!byLine.has(line)) byLine.set(line, secret);
  }
  return [...byLine].map(([line, { kind, secret, weight }]) => ({
    check: 'secrets',
    weight,
    file: path,
    line,
    says: `${kind} (${secret.length} characters); take it out, revoke it, read it from the environment`,
  }));
}

/** A certain issuer's emulator has one well-known account. */
const emulator = /devstoreaccount1/;

function* knownSecrets(path: string, text: string): Generator<Secret> {
  const lenient = isTest(path) || isProse(path);
  for (const { name, pattern, inTests } of secretKinds) {
    if (lenient && inTests === 'silent') continue;
    for (const match of text.matchAll(pattern)) {
      const secret = match.groups?.['secret'] ?? match[0];
      if (isPlaceholder(secret) || emulator.test(text.slice(match.index - 200, match.index))) continue;
      if (name === 'JSON web token' && isSampleToken(match[0])) continue;
      yield { kind: name, offset: match.index, secret, weight: lenient && inTests === 'told' ? 'ADVISORY' : 'FAIL' };
    }
  }
}

/** Tutorials use one token, whose subject counts up to ten. */
function isSampleToken(token: string): boolean {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  return /"sub":\s*"?1234567890|john doe|example/i.test(payload);
}
