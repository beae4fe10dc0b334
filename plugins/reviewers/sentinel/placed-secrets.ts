import { isProse, isTest } from '../workspace/paths.ts';
import { isNoPassword } from './address-secrets.ts';
import { isRandom } from './assigned-secrets.ts';
import type { Secret } from './secret.ts';

/** Where a secret is expected, whatever it looks like. */
interface Place {
  readonly name: string;
  /** Global; the group `secret` is what stands there. */
  readonly pattern: RegExp;
  /** Whether what stands there is one: it is no password that everybody has, unless another question is given. */
  readonly holds?: (text: string) => boolean;
  /** The files that have such a place; all of them by default. */
  readonly files?: RegExp;
}

const places: readonly Place[] = [
  {
    name: 'password of a command',
    pattern:
      /(?<![\w-])curl\s(?:[^\n]{0,400}?\s)?(?:-u|--user)[ =]{0,2}["']?[\w.@-]{1,80}:(?<secret>[^\s"'`$]{6,120})/g,
  },
  { name: 'password of a command', pattern: /(?<!\w)sshpass\s+-p\s?["']?(?<secret>[^\s"'$]{6,120})/g },
  {
    name: 'password of a command',
    pattern:
      /(?<!\w)(?:docker|podman|oc|az|helm registry)\s+login\b[^\n]{0,300}?\s(?:-p|--password)[ =]["']?(?<secret>[^\s"'$]{6,120})/g,
  },
  {
    name: 'password before a command',
    pattern:
      /(?<![\w$])(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS|RSYNC_PASSWORD)=["']?(?<secret>[^\s"'$]{6,120})["']?[ \t]+[a-z]/g,
  },
  {
    name: 'token in a header',
    pattern:
      /\bAuthorization["']?\s{0,3}[:=,]\s{0,3}["'`]?(?:Bearer|Token|ApiKey)[ \t]+(?<secret>[\w.~+/=-]{20,500})/gi,
    holds: isRandom,
  },
  {
    name: 'login in a header',
    pattern: /\bAuthorization["']?\s{0,3}[:=,]\s{0,3}["'`]?Basic[ \t]+(?<secret>[A-Za-z0-9+/]{8,300}={0,2})/gi,
    holds: isLogin,
  },
  {
    name: 'login of a registry',
    pattern: /"auth"\s{0,3}:\s{0,3}"(?<secret>[A-Za-z0-9+/]{12,400}={0,2})"/g,
    holds: isLogin,
    files: /(?:^|\/)config\.json$|dockercfg|dockerconfig/,
  },
  {
    name: 'password of a machine',
    pattern: /\bpassword\s+(?<secret>\S{6,200})/g,
    files: /(?:^|\/)[._]netrc$/,
  },
  {
    name: 'password of a user',
    pattern: /\b(?:PASSWORD|IDENTIFIED\s+BY)\s+'(?<secret>[^'\s$]{8,100})'/gi,
    holds: (text) => !isNoPassword(text) && /\d/.test(text),
    files: /\.sql$/,
  },
  {
    name: 'password in a connection string',
    pattern:
      /(?:Server|Data Source|Host)\s?=[^;"'\n]{1,120};(?:[^;"'\n]{1,120};){0,8}?\s?(?:Password|Pwd)\s?=\s?(?<secret>[^;"'\s{}$<>%]{6,100})/gi,
  },
];
/** What only this machine can reach may have any password. */
const local = /localhost|127\.0\.0\.1|\[::1\]|\(local(?:db)?\)|host\.docker\.internal|\bexample\.(?:com|org|net)\b/i;

/** Secrets known by where they stand, outside tests and prose. */
export function* placedSecrets(path: string, text: string): Generator<Secret> {
  if (isTest(path) || isProse(path)) return;
  for (const { name, pattern, holds = (one: string) => !isNoPassword(one), files } of places) {
    if (files?.test(path) === false) continue;
    for (const match of text.matchAll(pattern)) {
      const secret = match.groups?.['secret'] ?? '';
      if (!holds(secret) || local.test(lineAt(text, match.index))) continue;
      const offset = match.index + match[0].lastIndexOf(secret);
      yield { kind: name, offset, secret, weight: 'FAIL' };
    }
  }
}

/** Whether it is a name and a password, as headers encode them. */
function isLogin(text: string): boolean {
  const [, password] =
    /^[\x20-\x7e]{1,100}?:([\x21-\x7e]{6,})$/.exec(Buffer.from(text, 'base64').toString('latin1')) ?? [];
  return password !== undefined && !isNoPassword(password);
}

function lineAt(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(text.lastIndexOf('\n', offset) + 1, end === -1 ? text.length : end);
}
