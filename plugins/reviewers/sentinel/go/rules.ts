import type { Concern } from '../../concern.ts';
import type { Call } from '../../workspace/mask.ts';
import type { GoText } from './text.ts';

type Told = Pick<Concern, 'check' | 'weight' | 'says'>;

/** What is wrong with certain calls. */
export interface CallRule {
  readonly calls: RegExp;
  readonly judge: (call: Call, file: GoText) => Told | null;
}

/** What is wrong with certain lines; what stands between quotes is not seen. */
export interface LineRule {
  readonly lines: RegExp;
  readonly judge: (line: RegExpExecArray, file: GoText) => Told | null;
}

const sql =
  /^[`"(\s]*(?:select\b[\s\S]{1,400}\bfrom|insert\s+into|update\b[\s\S]{1,200}\bset|delete\s+from|drop\s+table|alter\s+table)\b/i;
const fixed = /^(?:"[^"]*"|`[^`]*`)$/;
/** What sees to where a path leads, anywhere in the function. */
const guarded = /(?:filepath|path)\.Base\(|IsLocal\(|HasPrefix\(|filepath\.Rel\(|SecureJoin\(/;
/** What whoever packed an archive calls its entries. */
const entryName = /\b(?:f|file|zf|entry|h|hdr|header)\.Name\b/;

/** Every call that is looked at. */
export const callRules: readonly CallRule[] = [
  {
    calls: /\bexec\.Command(?:Context)?/,
    judge: ({ args }, file) => {
      const shell = args.findIndex((arg) => /^"-\w*c"$/.test(arg));
      if (shell <= 0 || fixed.test(file.resolve(args[shell + 1] ?? '""'))) return null;
      const says = 'a shell is given a text that is not fixed; name the program and its arguments';
      return { check: 'command injection', weight: 'FAIL', says };
    },
  },
  {
    calls: /\.(?:Query|QueryRow|Exec|Prepare|Get|Select|Raw)(?:Context)?/,
    judge: ({ args }, file) =>
      args.map((arg) => file.resolve(arg)).some(isComposedQuery)
        ? {
            check: 'SQL injection',
            weight: 'FAIL',
            says: 'a query is put together with values; pass them as parameters',
          }
        : null,
  },
  {
    calls:
      /\b(?:filepath|path)\.Join|\bos\.(?:Open|OpenFile|ReadFile|Create|Remove|WriteFile)|\bhttp\.ServeFile|\b(?:c|ctx)\.(?:File|FileAttachment|SendFile)/,
    judge: ({ name, args, offset }, file) => {
      // ServeFile is given the request as such, and refuses dots in its path; only the name it is told matters.
      const paths = name === 'http.ServeFile' ? args.slice(2) : args;
      const isPacked = file.imports('archive/zip') || file.imports('archive/tar');
      const isForeign = paths.some((path) => file.isOutside(path) || (isPacked && entryName.test(path)));
      if (!isForeign || guarded.test(file.functionAt(offset))) return null;
      return {
        check: 'path traversal',
        weight: 'FAIL',
        says: `${name} takes a path from outside that may lead anywhere`,
      };
    },
  },
  {
    calls: /\btemplate\.(?:HTML|JS|URL)/,
    judge: ({ args }, file) =>
      args.some((arg) => file.isOutside(arg))
        ? { check: 'cross-site scripting', weight: 'FAIL', says: 'what comes from outside is called safe markup' }
        : null,
  },
  {
    calls: /\bfmt\.Fprint(?:f|ln)?|\bio\.WriteString|\bw\.Write/,
    judge: ({ args }, file) => {
      const page = args.map((arg) => file.resolve(arg)).join(', ');
      if (!/["`][^"`]*<[a-zA-Z!]/.test(page) || !file.isOutside(args.join(', ')) || /EscapeString\(/.test(page))
        return null;
      return {
        check: 'cross-site scripting',
        weight: 'FAIL',
        says: 'a page holds what comes from outside; use html/template',
      };
    },
  },
  {
    calls: /\bhttp\.(?:DefaultClient\.)?(?:Get|Post|Head|PostForm)/,
    judge: ({ name }) => endless(`${name} has no time limit; use a client with Timeout`),
  },
  {
    calls: /\bhttp\.(?:ListenAndServe(?:TLS)?|Serve(?:TLS)?)/,
    judge: ({ name }) => endless(`${name} waits for slow clients for ever; use a Server with ReadHeaderTimeout`),
  },
];

/** Every line that is looked at. */
export const lineRules: readonly LineRule[] = [
  {
    lines: /\bhttp\.Client\{([^{}]{0,2000})\}/g,
    judge: ([, fields = ''], { masked: { bare } }) =>
      /\bTimeout\s*:/.test(fields) || /\.Timeout\s*=|WithContext\(/.test(bare)
        ? null
        : endless('http.Client has no time limit; set Timeout'),
  },
  {
    lines: /\bhttp\.Server\{([^{}]{0,2000})\}/g,
    judge: ([, fields = ''], { masked: { bare } }) =>
      /\bRead(?:Header)?Timeout\s*:/.test(fields) || /\.Read(?:Header)?Timeout\s*=/.test(bare)
        ? null
        : endless('http.Server waits for slow clients for ever; set ReadHeaderTimeout'),
  },
  {
    lines: /\bInsecureSkipVerify\s*[:=]\s*true/g,
    judge: () => ({ check: 'certificates', weight: 'FAIL', says: 'InsecureSkipVerify trusts anybody' }),
  },
];

function endless(says: string): Told {
  return { check: 'timeouts', weight: 'ADVISORY', says };
}

/** Numbers in a query do no harm; texts do. */
function isComposedQuery(text: string): boolean {
  const format = /^fmt\.Sprintf\(\s*(["`][\s\S]*)$/.exec(text)?.[1];
  if (format !== undefined) return sql.test(format) && /%[svq]/.test(format);
  return sql.test(text) && /["`]\s*\+\s*[a-z]|\w\s*\+\s*["`]/.test(text);
}
