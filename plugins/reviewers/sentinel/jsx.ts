import type { Concern } from '../concern.ts';
import type { TextFile } from '../workspace/files.ts';
import { Lines } from '../workspace/lines.ts';
import { callsIn, mask } from '../workspace/mask.ts';
import { isTest } from '../workspace/paths.ts';

const safe = /sanitize|purify|escape/i;
const literal = /^(?:'[^']*'|"[^"]*"|`[^`$]*`)$/;

/** What is wrong in a module that holds markup and so cannot be parsed: less is seen than in others. Tests are let be. */
export function jsxIn({ path, text }: TextFile): Concern[] {
  if (isTest(path)) return [];
  const masked = mask(text, 'curly');
  const lines = new Lines(text);
  const found: Concern[] = [];
  const tell = (offset: number, check: string, weight: Concern['weight'], says: string) =>
    found.push({ check, weight, says, file: path, line: lines.at(offset) });

  for (const { index, 1: value = '' } of masked.code.matchAll(/__html\s*:\s*([^}\n]{1,300})\}/g))
    if (!literal.test(value.trim()) && !safe.test(value))
      tell(index, 'cross-site scripting', 'FAIL', 'dangerouslySetInnerHTML is given a value that nobody has cleaned');
  for (const { index, 1: value = '' } of masked.code.matchAll(/\.(?:inner|outer)HTML\s*\+?=(?!=)\s*([^;\n]{1,300})/g))
    if (!literal.test(value.trim()) && !safe.test(value))
      tell(index, 'cross-site scripting', 'ADVISORY', 'markup holds a value that may come from outside');
  for (const { args, offset } of callsIn(masked, /(?<![\w.])(?:eval|new Function)/))
    if (args.some((arg) => !literal.test(arg))) tell(offset, 'code injection', 'ADVISORY', 'text becomes code');
  for (const { args, offset } of callsIn(masked, /(?<![\w.])fetch/))
    if (
      /^['"`]https?:/.test(args[0] ?? '') &&
      (args[1] === undefined || (/^\{/.test(args[1]) && !/signal|\.\.\./.test(args[1])))
    )
      tell(offset, 'timeouts', 'ADVISORY', 'fetch has no time limit; pass signal: AbortSignal.timeout(…)');
  return found;
}
