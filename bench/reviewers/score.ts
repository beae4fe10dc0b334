import type { Case, Planted } from './corpus/case.ts';
import { kinds, type Reviewer, reviewers } from './kinds.ts';
import type { Said } from './play.ts';

/** How a case went. */
export interface Scored {
  readonly planted: readonly { readonly planted: Planted; readonly found: boolean }[];
  readonly said: readonly { readonly reviewer: Reviewer; readonly said: Said; readonly expected: boolean }[];
}

/** Compares what was planted with what was said. Throws if the case does not hold what it says it does. */
export function scored(one: Case, all: Readonly<Record<Reviewer, readonly Said[]>>): Scored {
  for (const { file, at } of one.planted) if (typeof file === 'string') linesOf(one.files[file], at);
  const said = reviewers.flatMap((reviewer) => all[reviewer].map((concern) => ({ reviewer, said: concern })));
  return {
    planted: one.planted.map((planted) => ({
      planted,
      found: said.some((concern) => tells(concern.said, planted, one)),
    })),
    said: said.map((concern) => ({
      ...concern,
      expected: one.planted.some((planted) => tells(concern.said, planted, one)),
    })),
  };
}

/** Whether a concern is about what was planted: the right check, at the right place. */
function tells({ check, evidence }: Said, planted: Planted, { files }: Case): boolean {
  if (!kinds[planted.kind].checks.includes(check)) return false;
  const named = planted.file === undefined ? [] : [planted.file].flat();
  if (named.length === 0) return planted.at === undefined || evidence.startsWith(planted.at);
  const [, file = '', line = ''] = /^(.+?):(\d+): /.exec(evidence) ?? [];
  return named.includes(file) && file in files && isIn(Number(line), linesOf(files[file], planted.at));
}

function isIn(line: number, [first, last]: readonly [number, number]): boolean {
  return line >= first && line <= last;
}

/** The lines that a text takes up in a file, the whole file if none is given. Throws if it is not there exactly once. */
function linesOf(text: string | undefined, at: string | undefined): readonly [number, number] {
  if (text === undefined) throw new Error('a case has something planted in a file that it does not have');
  if (at === undefined) return [1, Number.POSITIVE_INFINITY];
  const [before = '', ...rest] = text.split(at);
  if (rest.length !== 1) throw new Error(`"${at}" is in its file ${rest.length} times`);
  const first = before.split('\n').length;
  return [first, first + at.split('\n').length - 1];
}
