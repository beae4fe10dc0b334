import { readFileSync, statSync } from 'node:fs';
import { type EventPayload, messageOf, problemsOf, turnResult } from 'patchbay-sdk';
import type { TurnResult } from './state.ts';

/** What is wrong with what a turn left behind: a stage, and all that was found in it. */
export interface Invalid {
  readonly code: 'RESULT_MISSING' | 'RESULT_INVALID' | 'ASSIGNMENT' | 'WRITE_SCOPE' | 'VERIFICATION' | 'PROTOCOL';
  readonly errors: readonly string[];
}

/** A result larger than this is none. */
const mostBytes = 1024 * 1024;

type Turn = EventPayload<'turn:dispatched'>;

/** Reads the result that a core left: the stages schema and assignment. */
export function readResult(file: string, turn: Turn): TurnResult | Invalid {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined)
    return { code: 'RESULT_MISSING', errors: ['there is no result: nothing was written to the result file'] };
  if (!found.isFile()) return { code: 'RESULT_INVALID', errors: ['the result is not a file'] };
  const { size } = found;
  if (size > mostBytes)
    return { code: 'RESULT_INVALID', errors: [`the result has ${size} bytes, at most ${mostBytes} are read`] };
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return { code: 'RESULT_INVALID', errors: [`the result is not JSON: ${messageOf(error)}`] };
  }
  const problems = problemsOf(turnResult, filled(value));
  if (problems.length > 0) {
    return {
      code: 'RESULT_INVALID',
      errors: problems.map(({ path, message }) => `result${path === '' ? '' : ` ${path}`}: ${message}`),
    };
  }
  const wrong = (['run_id', 'turn_id', 'role', 'attempt'] as const).filter((key) => {
    const claimed = (value as Record<string, unknown>)[key];
    return claimed !== undefined && claimed !== turn[key];
  });
  if (wrong.length > 0) {
    const errors = wrong.map(
      (key) =>
        `the result is of another turn: ${key} is ${JSON.stringify((value as Record<string, unknown>)[key])}, not ${JSON.stringify(turn[key])}`,
    );
    return { code: 'ASSIGNMENT', errors };
  }
  return turnResult.parse(filled(value));
}

/** A result may leave out what it has nothing to say about. */
function filled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return {
    status: 'completed',
    decisions: [],
    objections: [],
    files_changed: [],
    verification: { status: 'skipped', commands: [], machine_evidence: [] },
    artifact: null,
    proposed_next_role: null,
    cost: { input_tokens: 0, output_tokens: 0, usd: 0 },
    ...value,
  };
}

/** What the rules of the game say about a result that fits the schema. */
export function protocolErrors(
  result: TurnResult,
  isReview: boolean,
  decided: readonly { id: string; statement: string }[],
): string[] {
  const reviews = ['approved', 'rejected', 'advisory'];
  const errors: string[] = [];
  if (isReview && !reviews.includes(result.status)) {
    errors.push(`a reviewer's status is one of ${reviews.join(', ')}, not "${result.status}"`);
  }
  if (!isReview && result.status !== 'completed')
    errors.push(`the turn says of itself that it is "${result.status}", not "completed"`);
  for (const { id, statement } of result.decisions) {
    const before = decided.find((one) => one.id === id && one.statement !== statement);
    if (before !== undefined) errors.push(`decision ${id} was taken before, differently: ${before.statement}`);
  }
  return errors;
}
