import type { Concern } from '../../concern.ts';
import type { TextFile } from '../../workspace/files.ts';
import { Lines } from '../../workspace/lines.ts';
import { callsIn } from '../../workspace/mask.ts';
import { isTest } from '../../workspace/paths.ts';
import { type CallRule, callRules, lineRules } from './rules.ts';
import { GoText } from './text.ts';

/** What is wrong in a Go file, as far as calls and lines tell it. Tests are let be. */
export function goIn({ path, text }: TextFile): Concern[] {
  if (isTest(path)) return [];
  const file = new GoText(text);
  const lines = new Lines(text);
  const inCalls = ({ calls, judge }: CallRule) =>
    [...callsIn(file.masked, calls)].map((call) => ({ offset: call.offset, told: judge(call, file) }));
  const found = [
    ...callRules.flatMap(inCalls),
    ...lineRules.flatMap(({ lines: pattern, judge }) =>
      [...file.masked.bare.matchAll(pattern)].map((line) => ({ offset: line.index, told: judge(line, file) })),
    ),
  ];
  return found.flatMap(({ offset, told }) => (told === null ? [] : [{ ...told, file: path, line: lines.at(offset) }]));
}
