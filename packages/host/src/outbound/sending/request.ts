import { messageOf, PatchbayError, type Verdict } from 'patchbay-sdk';
import type { KeptRequest } from '../../ledger/index.ts';
import { problemOfHeader } from '../interpolate.ts';
import type { Seal, Sealed } from './seal.ts';

/** What a handler answers to have a request made. */
export type Send = NonNullable<Verdict['send']>;

/** A request as it was asked for. */
export interface Asked {
  readonly url: URL;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** JSON. */
  readonly body: string;
}

/** A request as it is kept. */
type Kept = KeptRequest & {
  readonly url: Sealed;
  readonly headers: Readonly<Record<string, Sealed>>;
  readonly body: Sealed;
};

/** The most that is sent, in bytes. */
const mostBytes = 1024 * 1024;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** These say which delivery it is, and that it is ours. */
const ofHost = new Set(['idempotency-key', 'webhook-id', 'webhook-timestamp', 'webhook-signature']);

/** Makes of what a handler asked for what is kept of it. Throws HANDLER_ANSWER if no such request can be made. */
export function keepRequest({ url, headers = {}, body }: Send, seal: Seal): KeptRequest {
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') throw unsendable('its "url" is no http or https address');
  const sealed = Object.entries(headers).map(([header, value]) => {
    const problem = token.test(header) ? problemOfHeader(header, value) : 'a header has a name that none can have';
    if (problem !== undefined) throw unsendable(problem);
    const name = header.toLowerCase();
    if (ofHost.has(name)) throw unsendable(`header ${name} is set by the host`);
    return [name, seal.close(value, 'plain')] as const;
  });
  const kept: Kept = {
    url: seal.close(url, 'plain'),
    headers: Object.fromEntries(sealed),
    body: seal.close(textOf(body), 'json'),
  };
  return kept;
}

/** The request that was asked for. Throws CONFIG_INVALID if a secret in it is not to be had any more. */
export function openRequest(kept: KeptRequest, seal: Seal): Asked {
  const { url, headers, body } = kept as Kept;
  return {
    url: new URL(seal.open(url)),
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, seal.open(value)])),
    body: seal.open(body),
  };
}

/** Where a request goes, for people: without credentials and query. */
export function addressOf(kept: KeptRequest): string {
  const { url } = kept as Kept;
  // What is sealed may be anywhere in it.
  const shown = url.map((part) => (typeof part === 'string' ? part : '***')).join('');
  const { origin, pathname } = URL.parse(shown) ?? { origin: '', pathname: '' };
  return `${origin}${pathname}`;
}

function textOf(body: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw unsendable(`its "body" cannot be written as JSON: ${messageOf(error)}`);
  }
  if (text === undefined) throw unsendable('it has no "body" that could be written as JSON');
  if (Buffer.byteLength(text) > mostBytes) throw unsendable(`its "body" is longer than ${mostBytes} bytes`);
  return text;
}

function unsendable(why: string): PatchbayError {
  return new PatchbayError('HANDLER_ANSWER', `asked for a request that cannot be made: ${why}`);
}
