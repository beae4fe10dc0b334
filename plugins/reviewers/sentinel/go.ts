import type { Concern } from '../concern.ts';
import type { TextFile } from '../workspace/files.ts';
import { Lines } from '../workspace/lines.ts';
import { callsIn, mask } from '../workspace/mask.ts';
import { isTest } from '../workspace/paths.ts';

const outside =
  /\b(?:r|req|request|c)\.(?:URL\.(?:Query\(|Path|RawQuery)|FormValue\(|PostFormValue\(|PathValue\(|Form\b|Header\.Get\(|Param\(|Query\()|\bmux\.Vars\(/;
const sql =
  /^[`"(\s]*(?:select\b[\s\S]{1,400}\bfrom|insert\s+into|update\b[\s\S]{1,200}\bset|delete\s+from|drop\s+table|alter\s+table)\b/i;
const fixed = /^(?:"[^"]*"|`[^`]*`)$/;

/** What is wrong in a Go file, as far as calls tell it. Tests are let be. */
export function goIn({ path, text }: TextFile): Concern[] {
  if (isTest(path)) return [];
  const masked = mask(text, 'curly');
  const lines = new Lines(text);
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of masked.code.matchAll(
    /^[ \t]*(\w+)(?:, ?\w+)?[ \t]*:?=[ \t]*([^\n]{1,500})/gm,
  ))
    values.set(name, value);
  const resolve = (arg: string) => values.get(arg) ?? arg;
  const isOutside = (arg: string) =>
    outside.test(arg) ||
    [...arg.matchAll(/(?<![\w."])([a-z]\w*)(?![\w(])/g)].some(([, name = '']) => outside.test(values.get(name) ?? ''));
  const found: Concern[] = [];
  const tell = (offset: number, check: string, weight: Concern['weight'], says: string) =>
    found.push({ check, weight, says, file: path, line: lines.at(offset) });

  for (const { args, offset } of callsIn(masked, /\bexec\.Command(?:Context)?/)) {
    const shell = args.findIndex((arg) => /^"-c"$/.test(arg));
    if (shell > 0 && !fixed.test(resolve(args[shell + 1] ?? '""')))
      tell(
        offset,
        'command injection',
        'FAIL',
        'a shell is given a text that is not fixed; name the program and its arguments',
      );
  }
  for (const { args, offset } of callsIn(masked, /\.(?:Query|QueryRow|Exec|Prepare|Get|Select|Raw)(?:Context)?/)) {
    const query = args.map(resolve).find((arg) => isComposedQuery(arg));
    if (query !== undefined)
      tell(offset, 'SQL injection', 'FAIL', 'a query is put together with values; pass them as parameters');
  }
  for (const { name, args, offset } of callsIn(
    masked,
    /\b(?:filepath|path)\.Join|\bos\.(?:Open|ReadFile|Create|Remove|WriteFile)|\bhttp\.ServeFile/,
  )) {
    // ServeFile is given the request as such, and refuses dots in its path; only the name it is told matters.
    const paths = name === 'http.ServeFile' ? args.slice(2) : args;
    const isCut = /(?:filepath|path)\.Base\(|IsLocal\(|HasPrefix\(|filepath\.Rel\(/.test(masked.code);
    if (paths.some(isOutside) && !isCut)
      tell(offset, 'path traversal', 'FAIL', `${name} takes a path from outside that may lead anywhere`);
  }
  for (const { args, offset } of callsIn(masked, /\btemplate\.(?:HTML|JS|URL)/))
    if (args.some(isOutside))
      tell(offset, 'cross-site scripting', 'FAIL', 'what comes from outside is called safe markup');
  for (const { name, offset } of callsIn(masked, /\bhttp\.(?:Get|Post|Head|PostForm)/))
    tell(offset, 'timeouts', 'ADVISORY', `${name} has no time limit; use a client with Timeout`);
  for (const match of masked.bare.matchAll(/\bhttp\.Client\{([^{}]{0,2000})\}/g)) {
    const isLimited = /\bTimeout\s*:/.test(match[1] ?? '') || /\.Timeout\s*=|WithContext\(/.test(masked.bare);
    if (!isLimited) tell(match.index, 'timeouts', 'ADVISORY', 'http.Client has no time limit; set Timeout');
  }
  for (const match of masked.bare.matchAll(/\bInsecureSkipVerify\s*:\s*true/g))
    tell(match.index, 'certificates', 'FAIL', 'InsecureSkipVerify trusts anybody');
  return found;
}

/** Numbers in a query do no harm; texts do. */
function isComposedQuery(text: string): boolean {
  const format = /^fmt\.Sprintf\(\s*(["`][\s\S]*)$/.exec(text)?.[1];
  if (format !== undefined) return sql.test(format) && /%[svq]/.test(format);
  return sql.test(text) && /["`]\s*\+\s*[a-z]|\w\s*\+\s*["`]/.test(text);
}
