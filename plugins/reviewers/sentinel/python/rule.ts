import type { Concern } from '../../concern.ts';
import type { Call } from '../../workspace/mask.ts';
import type { Names } from './names.ts';

/** What is told about a place. */
export type Told = Pick<Concern, 'check' | 'weight' | 'says'>;

/** What is wrong with certain calls. */
export interface CallRule {
  /** The name of the calls, up to the parenthesis. */
  readonly calls: RegExp | ((names: Names) => RegExp | null);
  /** What must be in the file for them to be meant. */
  readonly needs?: RegExp;
  readonly judge: (call: Call, names: Names) => Told | null;
}

/** What is wrong with certain lines. */
export interface LineRule {
  readonly lines: RegExp;
  readonly needs?: RegExp;
  readonly judge: (line: RegExpExecArray, names: Names) => Told | null;
}

/** A text that is written out, with nothing put into it. */
export const fixed = /^(?:[rbu]{0,2}(?:"""[\s\S]*"""|'''[\s\S]*'''|"[^"\n]*"|'[^'\n]*')\s*)+$/i;

/** Whether text is put together from parts that are not all written there. Names in capitals are constants. */
export function isComposed(text: string): boolean {
  const holes = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, hole = '']) => hole.trim());
  const isFormatted =
    /(?<!\w)r?f["']/i.test(text) && holes.some((hole) => !/^[A-Z][A-Z0-9_]*$|placeholders|marks/.test(hole));
  return isFormatted || /["']\s*%\s*[\w(]|["']\s*\.format\(|["']\s*\+\s*[a-z_]|[\w)\]]\s*\+\s*["']/.test(text);
}
