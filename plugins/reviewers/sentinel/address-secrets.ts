import { isTest } from '../workspace/paths.ts';
import { isPlaceholder } from './placeholder.ts';
import type { Secret } from './secret.ts';

const address =
  /(?<scheme>[a-z][a-z0-9+.-]{1,20}):\/\/(?<user>[^\s:/@"'`<>]{0,60}):(?<password>[^\s/@"'`<>]{3,120})@(?<host>[\w.-]{1,120})/gi;
const usual =
  /^(?:pass(?:word)?|pwd?|secret|admin|root|user(?:name)?|postgres|mysql|mongo|redis|guest|test(?:ing)?|dev|token)\d{0,3}$/i;
const nowhere =
  /(?:^|\.)(?:example|test|invalid|localhost|local|internal)(?:\.(?:com|org|net))?$|^(?:127\.|0\.0\.0\.0|10\.)/i;

/** Passwords in addresses of data bases and the like, unless the address leads nowhere or the password is no secret. */
export function* addressSecrets(path: string, text: string): Generator<Secret> {
  if (isTest(path)) return; // Full of addresses to nowhere, and what opens a real one stands elsewhere too.
  for (const { groups = {}, index } of text.matchAll(address)) {
    const { scheme = '', user = '', password = '', host = '' } = groups;
    if (!host.includes('.') || nowhere.test(host)) continue; // A name without a dot is a neighbour in a compose file.
    if (password === user || /your|example|user_?name/i.test(user) || isNoPassword(password)) continue;
    yield { kind: `password in a ${scheme}:// address`, offset: index, secret: password, weight: 'FAIL' };
  }
}

/**
 * Whether a password opens nothing: everybody has it, or it stands in for one. People choose passwords with little entropy,
 * so only that is left out.
 */
export function isNoPassword(password: string): boolean {
  if (usual.test(password)) return true;
  return /^[$%{[(]|\$\{|\{\{|[}%\])]$/.test(password) || (isPlaceholder(password) && !/\d/.test(password));
}
