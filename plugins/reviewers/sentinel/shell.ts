import type { Concern } from '../concern.ts';
import type { TextFile } from '../workspace/files.ts';
import { isTest } from '../workspace/paths.ts';
import { linesOf } from '../workspace/shell.ts';

/** What whoever starts a script gives it. */
const given = /\$(?:[1-9@*]|\{[1-9@*])/;
/** Ways to have a text read by a shell once more; what a program says by `$(…)` is meant to be. */
const again: readonly (readonly [RegExp, string])[] = [
  [
    /(?:^|[;&|(]\s*|\b(?:then|do|else)\s+)eval\s+(?!["']?\$\()(.*)$/,
    'eval reads its arguments again as commands; use "$@"',
  ],
  [
    /(?:^|[\s/])(?:ba|da|k|z)?sh\s+-\w*c\s+"([^"]*)"/,
    'a shell is given a text with arguments in it; pass them after it',
  ],
];

/** What is wrong in a script of a shell, as far as single lines tell it. Tests are let be. */
export function shellIn({ path, text }: TextFile): Concern[] {
  const isScript = /\.\w+$/.test(path) || /^#!.*\b(?:ba|da|k|z)?sh\b/.test(text);
  if (isTest(path) || !isScript) return [];
  return linesOf(text).flatMap(({ text: line, at }) =>
    again.flatMap(([pattern, says]): Concern[] =>
      given.test(pattern.exec(line)?.[1] ?? '')
        ? [{ check: 'command injection', weight: 'ADVISORY', file: path, line: at + 1, says }]
        : [],
    ),
  );
}
