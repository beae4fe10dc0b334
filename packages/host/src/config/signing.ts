import { PatchbayError } from 'patchbay-sdk';
import { resolveReferences } from './references.ts';

/** What Standard Webhooks wants of a key, in bytes. */
const [fewest, most] = [24, 64];
const written = /^(?:whsec_)?(?<key>[A-Za-z0-9+/]+={0,2})$/;

/**
 * The keys with which the requests of a plugin are signed, from a text or a list of texts: `${NAME}` or the key itself, the
 * newest first. Throws CONFIG_INVALID, which never tells a key. None if nothing is given.
 */
export function readSigning(
  plugin: string,
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (value === undefined || value === null) return [];
  const { signing } = resolveReferences(plugin, { signing: value }, env).config;
  const keys: readonly unknown[] = Array.isArray(signing) ? signing : [signing];
  return keys.map((key, i) => {
    const text = typeof key === 'string' ? (written.exec(key)?.groups?.['key'] ?? '') : '';
    const { length } = Buffer.from(text, 'base64');
    if (length >= fewest && length <= most) return key as string;
    const what = `signing key ${i + 1} must be "whsec_" and ${fewest} to ${most} bytes in Base64`;
    throw new PatchbayError('CONFIG_INVALID', `plugin "${plugin}": ${what}`, { plugin, field: 'signing' });
  });
}
