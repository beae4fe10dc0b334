import { type HookRow, problemOf, type Verdict } from 'patchbay-sdk';
import type { Entry } from './entry.ts';
import { Fault } from './failure.ts';

/** Judges an answer that is not null: gives it back, or undefined if there is nothing to keep, or throws the fault. */
export type Judge = (entry: Entry, answer: unknown) => unknown;

/** The judge of a hook's answers; undefined where nobody looks at them. */
export function judgeOf(row: HookRow): Judge | undefined {
  const { answer: schema, kind } = row;
  if (schema === null) return undefined;
  const check = (answer: unknown) => {
    const problem = problemOf(schema, answer);
    if (problem !== undefined) throw new Fault('HANDLER_ANSWER', `answered what the hook does not allow: ${problem}`);
  };
  const speaks = (answer: unknown): answer is Verdict =>
    typeof answer === 'object' && answer !== null && 'verdict' in answer;
  if (kind === 'notify') {
    return (entry, answer) => {
      // An observer written as `(p) => list.push(p)` means nothing by the number it answers.
      if (!speaks(answer) && !entry.closed) return undefined;
      check(answer);
      return heed(entry, answer as Verdict);
    };
  }
  return (entry, answer) => {
    check(answer);
    if (row.failure !== 'closed' || !speaks(answer)) return answer;
    heed(entry, answer);
    return undefined;
  };
}

/** A verdict that refuses, or says that the handler failed, ends like a failure does. */
function heed(entry: Entry, answer: Verdict): Verdict {
  if (answer.verdict === 'block' && entry.closed) {
    throw new Fault('HOOK_REFUSED', `refused: ${answer.message ?? 'no reason given'}`, false);
  }
  if (answer.verdict === 'fail') throw new Fault('HANDLER_FAILED', `failed: ${answer.message ?? 'no reason given'}`);
  return answer;
}

/** What is wrong with a result that a wrapper wants to put in place of another, if anything. */
export function problemOfResult(row: HookRow, result: unknown): string | undefined {
  const { answer: schema, kind } = row;
  if (schema === null) return undefined;
  switch (kind) {
    case 'notify':
      return undefined;
    case 'first':
      return result === null ? undefined : problemOf(schema, result);
    case 'waterfall':
      return problemOf(row.payload, result);
    case 'collect':
      if (!Array.isArray(result)) return 'must be an array';
      return result.map((answer) => problemOf(schema, answer)).find((problem) => problem !== undefined);
    case 'merge': {
      const { entries, owners, conflicts } = (result ?? {}) as Record<string, unknown>;
      if (typeof entries !== 'object' || typeof owners !== 'object' || !Array.isArray(conflicts)) {
        return 'must have entries, owners and conflicts';
      }
      return problemOf(schema, entries);
    }
  }
}
