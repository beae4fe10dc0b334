import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { verifyWithFallback } from '@octokit/webhooks-methods';
import type { WebhookProof } from 'patchbay-sdk';
import { Webhook } from 'standardwebhooks';
import { hmac, isAnyOf, isSame, slack } from './hmac.ts';
import { isTimely, numbered, type Scheme } from './scheme.ts';

/**
 * Standard Webhooks: `v1,BASE64` over `ID.TIME.BODY`, several of them while a secret is replaced. Not by its library, which
 * computes digests in JavaScript: whoever may send a megabyte of nonsense would stop the host for longer than sending takes.
 * Throws if a secret is none.
 */
function standard(secrets: readonly string[]): Scheme {
  const keys = secrets.map(keyOf);
  const header = 'webhook-signature';
  return {
    hides: [header],
    verify: ({ 'webhook-id': id, 'webhook-timestamp': time, [header]: signatures }, body) => {
      if (id === undefined || time === undefined || signatures === undefined) return 'UNVERIFIED';
      const signed = `${id}.${time}.${body}`;
      const given = signatures.split(' ');
      let holds = false;
      for (const key of keys) {
        // As texts: several texts are the same bytes in base64.
        const right = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
        // All are looked at, whichever it is.
        for (const one of given) if (isEqual(right, one)) holds = true;
      }
      if (!holds) return 'UNVERIFIED';
      return isTimely(time) ? undefined : 'STALE';
    },
    numberOf: (headers) => numbered(headers['webhook-id']),
  };
}

function keyOf(secret: string): KeyObject {
  // Says what is wrong with it.
  new Webhook(secret);
  return createSecretKey(secret.replace(/^whsec_/, ''), 'base64');
}

function isEqual(right: string, given: string): boolean {
  const [a, b] = [Buffer.from(right), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function github([secret = '', ...others]: readonly string[]): Scheme {
  const header = 'x-hub-signature-256';
  return {
    hides: [header, 'x-hub-signature'],
    verify: async ({ [header]: signature }, body) => {
      // The library takes nothing that is empty.
      if (!signature || body === '') return 'UNVERIFIED';
      return (await verifyWithFallback(secret, body, signature, others)) ? undefined : 'UNVERIFIED';
    },
    numberOf: (headers) => numbered(headers['x-github-delivery']),
  };
}

function gitlab(secrets: readonly string[]): Scheme {
  const header = 'x-gitlab-token';
  return {
    hides: [header],
    verify: ({ [header]: token = '' }) =>
      isAnyOf(secrets, (secret) => isSame(secret, token)) ? undefined : 'UNVERIFIED',
    numberOf: ({ 'idempotency-key': key, 'x-gitlab-event-uuid': id }, body) => {
      if (key !== undefined || id === undefined) return numbered(key);
      // Events that a webhook itself has caused share this id, so it takes the body to tell them apart.
      return { id, key: `${id} ${createHash('sha256').update(body).digest('hex')}` };
    },
  };
}

function bearer(secrets: readonly string[]): Scheme {
  return {
    hides: [],
    verify: ({ authorization = '' }) => {
      const token = /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';
      return isAnyOf(secrets, (secret) => isSame(secret, token)) ? undefined : 'UNVERIFIED';
    },
    numberOf: (headers) => numbered(headers['idempotency-key']),
  };
}

const none: Scheme = {
  hides: [],
  verify: () => undefined,
  numberOf: (headers) => numbered(headers['idempotency-key']),
};

/** The scheme that a route declares. Throws on a secret that cannot be one. */
export function schemeOf(proof: WebhookProof): Scheme {
  switch (proof.scheme) {
    case 'none':
      return none;
    case 'hmac':
      return hmac(proof);
    default:
      return { standard, github, gitlab, slack, bearer }[proof.scheme](proof.secrets);
  }
}
