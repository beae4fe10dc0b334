import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { WebhookProof } from 'patchbay-sdk';
import { type Headers, isTimely, numbered, type Scheme } from './scheme.ts';

/** Whether two texts are the same, in a time that does not depend on where they differ, nor on their lengths. */
export function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** All are tried, whichever it is. */
export function isAnyOf<T>(secrets: readonly T[], holds: (secret: T) => boolean): boolean {
  return secrets.map(holds).includes(true);
}

/** Made once: to make a key of a text for each request takes several times as long as its digest. */
function keysOf(secrets: readonly string[]): KeyObject[] {
  return secrets.map((secret) => createSecretKey(secret, 'utf8'));
}

/** A digest over the body in a header, keyed with a secret. */
export function hmac(proof: Extract<WebhookProof, { scheme: 'hmac' }>): Scheme {
  const { secrets, algorithm = 'sha256', encoding = 'hex', prefix = '' } = proof;
  const keys = keysOf(secrets);
  const header = (proof.header ?? 'x-signature').toLowerCase();
  const timeHeader = proof.timeHeader?.toLowerCase();
  const idHeader = proof.idHeader?.toLowerCase();
  return {
    hides: [header],
    verify: (headers, body) => {
      const time = timeHeader === undefined ? undefined : headers[timeHeader];
      const signed = timeHeader === undefined ? body : `${time}.${body}`;
      const digest = (key: KeyObject) => prefix + createHmac(algorithm, key).update(signed).digest(encoding);
      const given = headers[header] ?? '';
      // Hex in capitals is the same digest.
      const told = encoding === 'hex' ? prefix + given.slice(prefix.length).toLowerCase() : given;
      if (!isAnyOf(keys, (key) => isSame(digest(key), told))) return 'UNVERIFIED';
      return timeHeader !== undefined && !isTimely(time) ? 'STALE' : undefined;
    },
    numberOf: (headers) => {
      const id = idHeader === undefined ? undefined : headers[idHeader];
      if (id !== undefined) return numbered(id);
      // Signed with its time: only the same request again has the same digest.
      return { id: null, key: timeHeader === undefined ? null : (headers[header] ?? null) };
    },
  };
}

/** Slack: `v0=HEX` over `v0:TIME:BODY`. */
export function slack(secrets: readonly string[]): Scheme {
  const [header, timeHeader] = ['x-slack-signature', 'x-slack-request-timestamp'];
  const keys = keysOf(secrets);
  const digest = (key: KeyObject, headers: Headers, body: string) =>
    `v0=${createHmac('sha256', key).update(`v0:${headers[timeHeader]}:${body}`).digest('hex')}`;
  return {
    hides: [header],
    verify: (headers, body) => {
      const given = headers[header] ?? '';
      if (!isAnyOf(keys, (key) => isSame(digest(key, headers, body), given))) return 'UNVERIFIED';
      return isTimely(headers[timeHeader]) ? undefined : 'STALE';
    },
    numberOf: (headers, _, payload) => {
      // A retry has a signature of its own, and the same event in its body.
      const { event_id: id } = (payload ?? {}) as { event_id?: unknown };
      return typeof id === 'string' ? numbered(id) : { id: null, key: headers[header] ?? null };
    },
  };
}
