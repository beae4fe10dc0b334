import type { Concern } from '../concern.ts';
import type { TextFile } from '../workspace/files.ts';
import { isTest } from '../workspace/paths.ts';

/** Files whose lines are commands or settings. */
const scripts =
  /\.(?:sh|bash|zsh|ya?ml|mk|env)$|(?:^|\/)(?:Dockerfile[^/]*|Containerfile|[Mm]akefile|Jenkinsfile|\.env[^/]*|\.npmrc|\.yarnrc(?:\.yml)?|\.curlrc|\.gitconfig|package\.json)$/;

/** Ways to tell a program that it need not know whom it talks to. */
const ways: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w-])curl\s(?:.*\s)?(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)(?=\s|$)/, 'curl -k'],
  [/(?<![\w-])wget\s(?:.*\s)?--no-check-certificate(?=\s|$)/, 'wget --no-check-certificate'],
  [/(?<!\w)NODE_TLS_REJECT_UNAUTHORIZED\s{0,3}[:=]\s{0,3}["']?0["']?(?!\w)/, 'NODE_TLS_REJECT_UNAUTHORIZED=0'],
  [/(?<!\w)PYTHONHTTPSVERIFY\s{0,3}[:=]\s{0,3}["']?0["']?(?!\w)/, 'PYTHONHTTPSVERIFY=0'],
  [/(?<!\w)GIT_SSL_NO_VERIFY\s{0,3}[:=]\s{0,3}["']?(?:1|true)["']?(?!\w)/i, 'GIT_SSL_NO_VERIFY'],
  [/(?<!\w)http\.(?:\S+\.)?sslVerify[\s=]{1,3}["']?false(?!\w)/i, 'http.sslVerify false'],
  [/(?<![\w-])strict-ssl[\s=]{1,3}["']?false(?!\w)/, 'strict-ssl=false'],
  [/^\s*enableStrictSsl:\s*false\b/, 'enableStrictSsl: false'],
];
/** Nobody stands between a machine and itself. */
const local = /localhost|127\.0\.0\.1|\[::1\]/;

/** Commands and settings that turn off the check of certificates. Tests are let be. */
export function transportIn({ path, text }: TextFile): Concern[] {
  if (isTest(path) || !scripts.test(path)) return [];
  return text.split('\n').flatMap((line, at): Concern[] => {
    if (line.length > 2000 || /^\s*(?:#|;|\/\/)/.test(line) || local.test(line)) return [];
    const way = ways.find(([pattern]) => pattern.test(line))?.[1];
    return way === undefined
      ? []
      : [{ check: 'certificates', weight: 'FAIL', file: path, line: at + 1, says: `${way} trusts anybody` }];
  });
}
