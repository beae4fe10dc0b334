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
    if (usual.test(password) || password === user || isPlaceholderPassword(password)) continue;
    yield { kind: `password in a ${scheme}:// address`, offset: index, secret: password, weight: 'FAIL' };
  }
}

/** People choose passwords with little entropy, so only what stands in for one is left out. */
function isPlaceholderPassword(password: string): boolean {
  return /^[$%{[(]|\$\{|\{\{|[}%\])]$/.test(password) || (isPlaceholder(password) && !/\d/.test(password));
}
