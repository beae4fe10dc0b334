import { isProse, isTest } from '../workspace/paths.ts';
import { entropyOf, isPlaceholder } from './placeholder.ts';
import type { Secret } from './secret.ts';

const name = '(?:secret|passw(?:or)?d|passphrase|token|api[_-]?key|private[_-]?key|access[_-]?key|credentials?)';
const quoted = new RegExp(
  `(${name}[\\w-]{0,20})["']?\\s{0,4}(?::=|=>|[:=])\\s{0,4}(["'\`])([^\\s"'\`]{10,200})\\2`,
  'gi',
);
const unquoted = new RegExp(
  `(${name}[\\w-]{0,20})[ \\t]{0,4}[:=][ \\t]{0,4}([^\\s"'#][^\\s"']{9,199})(?:[ \\t]{1,20}#[^\\n]*|[ \\t]{0,20})$`,
  'gim',
);
const settings = /(?:^|\/)\.env[^/]*$|\.(?:env|properties|ini|cfg|conf|toml|ya?ml|tfvars)$/i;
/** What a name ends in when it is about a secret and not one. */
const about =
  /(?:hash|digest|checksum|url|uri|path|file|name|id|header|field|type|regex|pattern|endpoint|sha\d*|version|label|message|error|key_?ref)$/i;

/** What a name begins with when everybody may see it, or it opens nothing for long. */
const harmless = /public|next|continuation|page|cursor|csrf|xsrf/i;
/** Only the cluster that a secret was sealed for can open it. */
const sealed = /^kind:\s*SealedSecret\b/m;

/** Texts that look random given to names that tell of a secret, outside tests and prose. */
export function* assignedSecrets(path: string, text: string): Generator<Secret> {
  if (isTest(path) || isProse(path) || /(?:lock\.json|\.lock|lock\.yaml|\.sum)$/.test(path)) return;
  if (sealed.test(text)) return;
  for (const match of text.matchAll(quoted)) yield* judged(text, match, match[3] ?? '');
  if (!settings.test(path)) return;
  for (const match of text.matchAll(unquoted)) yield* judged(text, match, match[2] ?? '');
}

function* judged(text: string, match: RegExpExecArray, secret: string): Generator<Secret> {
  const to = match[1] ?? '';
  const before = /[\w.-]{0,40}$/.exec(text.slice(Math.max(0, match.index - 40), match.index))?.[0] ?? '';
  if (about.test(to) || harmless.test(before)) return;
  const isQuoted = match[3] !== undefined;
  const isSecret =
    isRandom(secret) ||
    (isQuoted && isRandomWithSigns(secret)) ||
    (/^passw|^passphrase/i.test(to) && isPassword(secret));
  if (isSecret) yield { kind: `value of ${before}${to}`, offset: match.index, secret, weight: 'FAIL' };
}

/** Whether a text looks as if a machine had made it up. */
export function isRandom(text: string): boolean {
  if (text.length < 20 || isPlaceholder(text) || /:\/\/|[()[\]{}$\\,;]|^[./~@]/.test(text)) return false;
  if (/^[0-9a-f]{32,}$/i.test(text)) return /\d/.test(text) && /[a-f]/i.test(text);
  if (isWords(text)) return false;
  return /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && entropyOf(text) >= 3.5;
}

/** The same with every sign that a keyboard has, which code has too: more of it is asked for. */
function isRandomWithSigns(text: string): boolean {
  if (text.length < 32 || isPlaceholder(text) || /:\/\/|\\|\(\?|\[[A-Za-z0-9]-|^[./~@^]/.test(text) || isWords(text))
    return false;
  return [/\d/, /[a-z]/, /[A-Z]/, /[^\w]/].every((kind) => kind.test(text)) && entropyOf(text) >= 4.3;
}

/** Names have digits and capitals too, but most of their letters stand in words. */
function isWords(text: string): boolean {
  const words = text.match(/[a-z]{3,}|[A-Z]{4,}/g) ?? [];
  return words.join('').length >= 0.6 * text.length;
}

function isPassword(text: string): boolean {
  if (isPlaceholder(text) || /:\/\/|[()[\]{}\\]|^[./~$%]/.test(text)) return false;
  return [/\d/, /[a-z]/, /[A-Z]/, /[!@#^&*?+=-]/].every((kind) => kind.test(text));
}
