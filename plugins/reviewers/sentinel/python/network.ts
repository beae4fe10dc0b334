import type { Names } from './names.ts';
import { type CallRule, fixed, type LineRule, type Told } from './rule.ts';

const verbs = '(?:get|post|put|patch|delete|head|options|request)';

/** Calls to others that may wait for ever or trust anybody, and keys that everybody knows. */
export const networkCalls: readonly CallRule[] = [
  {
    calls: /(?<![\w.])jwt\.(?:encode|decode)/,
    judge: ({ args, offset }, names) => {
      const secret = names.resolve(args[1]?.replace(/^key\s*=\s*/, '') ?? '', offset);
      return fixed.test(secret)
        ? { check: 'secrets', weight: 'FAIL', says: 'the secret of JSON web tokens is written in the code' }
        : null;
    },
  },
  {
    calls: new RegExp(`(?<![\\w.])requests\\.${verbs}|(?<![\\w.])(?:urllib\\.request\\.)?urlopen`),
    judge: ({ name, args }) =>
      isLimited(args) || (name.endsWith('urlopen') && args.length >= 3) ? null : endless(name),
  },
  {
    calls: new RegExp(`(?<![\\w.])httpx\\.(?:${verbs}|Client|AsyncClient)`),
    judge: ({ name, args }) => (args.some((arg) => /^timeout\s*=\s*None$/.test(arg)) ? endless(name) : null),
  },
  {
    calls: onSessions,
    // Whoever replaces `request` of a session has seen to it.
    needs: /^(?![\s\S]*\.request\s*=\s*(?:functools\.)?partial\()/,
    judge: ({ name, args }) => (isLimited(args) ? null : endless(name)),
  },
  {
    calls:
      /(?<![\w.])(?:smtplib\.SMTP(?:_SSL)?|ftplib\.FTP(?:_TLS)?|imaplib\.IMAP4(?:_SSL)?|poplib\.POP3(?:_SSL)?|http\.client\.HTTPS?Connection|socket\.create_connection)/,
    needs: /^(?![\s\S]*setdefaulttimeout\()/,
    judge: ({ name, args }) => {
      const isOpen = args.length > 0 && !isLimited(args) && !(name.startsWith('socket') && args.length > 1);
      return isOpen ? endless(name) : null;
    },
  },
  { calls: /(?<![\w.])(?:requests|httpx)\.\w+/, judge: ({ args }) => unverified(args) },
  { calls: onSessions, judge: ({ args }) => unverified(args) },
];

/** Settings that trust anybody. */
export const networkLines: readonly LineRule[] = [
  { lines: /\bssl\._create_unverified_context\b/g, judge: () => trusting('ssl._create_unverified_context') },
  {
    lines: /\bverify_mode\s*=\s*ssl\.CERT_NONE\b|\bcert_reqs\s*=\s*["']?(?:ssl\.)?CERT_NONE\b/g,
    judge: () => trusting('CERT_NONE'),
  },
  { lines: /\.verify\s*=\s*False\b/g, needs: /\b(?:requests|httpx)\b/, judge: () => trusting('verify = False') },
  { lines: /\b(?:ssl|verify_ssl)\s*=\s*False\b/g, needs: /\baiohttp\b/, judge: () => trusting('ssl=False') },
];

function onSessions({ sessions }: Names): RegExp | null {
  const names = sessions.map((name) => name.replaceAll('.', '\\.'));
  return names.length === 0 ? null : new RegExp(`(?<![\\w.])(?:${names.join('|')})\\.${verbs}`);
}

function isLimited(args: readonly string[]): boolean {
  const limit = args.find((arg) => /^timeout\s*=|^\*\*/.test(arg));
  return limit !== undefined && !/=\s*None$/.test(limit);
}

function endless(name: string): Told {
  return { check: 'timeouts', weight: 'ADVISORY', says: `${name} has no time limit; pass timeout` };
}

function unverified(args: readonly string[]): Told | null {
  return args.some((arg) => /^verify\s*=\s*False$/.test(arg)) ? trusting('verify=False') : null;
}

function trusting(what: string): Told {
  return { check: 'certificates', weight: 'FAIL', says: `${what} trusts anybody` };
}
