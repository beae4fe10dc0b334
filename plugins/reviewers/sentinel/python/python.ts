import type { Concern } from '../../concern.ts';
import type { TextFile } from '../../workspace/files.ts';
import { Lines } from '../../workspace/lines.ts';
import { callsIn, mask } from '../../workspace/mask.ts';
import { isTest } from '../../workspace/paths.ts';
import { fileCalls } from './files.ts';
import { injectionCalls, injectionLines } from './injection.ts';
import { Names } from './names.ts';
import { networkCalls, networkLines } from './network.ts';
import type { CallRule, LineRule, Told } from './rule.ts';

const callRules: readonly CallRule[] = [...injectionCalls, ...fileCalls, ...networkCalls];
const lineRules: readonly LineRule[] = [...injectionLines, ...networkLines];

/** What is wrong in a Python file, as far as calls and lines tell it. Tests are let be. */
export function pythonIn({ path, text }: TextFile): Concern[] {
  if (isTest(path)) return [];
  const masked = mask(text, 'python');
  const names = new Names(masked);
  const lines = new Lines(text);
  const isMeant = ({ needs }: { needs?: RegExp }) => needs === undefined || needs.test(masked.code);
  const found: (readonly [number, Told | null])[] = [];
  for (const { calls, judge } of callRules.filter(isMeant)) {
    const name = typeof calls === 'function' ? calls(names) : calls;
    if (name !== null) for (const call of callsIn(masked, name)) found.push([call.offset, judge(call, names)]);
  }
  for (const { lines: pattern, judge } of lineRules.filter(isMeant))
    for (const line of masked.code.matchAll(pattern)) found.push([line.index, judge(line, names)]);
  return found.flatMap(([offset, told]) => (told === null ? [] : [{ ...told, file: path, line: lines.at(offset) }]));
}
