import { lstatSync, readFileSync } from 'node:fs';
import { type EventPayload, messageOf, problemsOf, type TurnCost, turnResult } from 'patchbay-sdk';
import { type Decision, type DocumentName, decisionOf, problemsOfDocument } from '../day/documents.ts';
import { free } from './cost.ts';
import type { TurnResult } from './state.ts';

/** What is wrong with what a turn left behind: a stage, and all that was found in it. */
export interface Invalid {
  readonly code: 'RESULT_MISSING' | 'RESULT_INVALID' | 'ASSIGNMENT' | 'WRITE_SCOPE' | 'VERIFICATION' | 'PROTOCOL';
  readonly errors: readonly string[];
}

/** A result larger than this is none. */
const mostBytes = 1024 * 1024;

const costSchema = turnResult.shape.cost;

type Turn = EventPayload<'turn:dispatched'>;

/** What the decisions of documents are as statuses of turns. */
const statuses: Readonly<Record<Decision, string>> = { SHIP: 'approved', HOLD: 'rejected', ADVISORY: 'advisory' };

/** Reads the result that a core left, with the document that is asked for: the stages schema and assignment. */
export function readResult(file: string, turn: Turn, asked: DocumentName | null): TurnResult | Invalid {
  const found = lstatSync(file, { throwIfNoEntry: false });
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
  const whole = filled(value, turn.reviews === null ? null : asked);
  const problems = problemsOf(turnResult, whole).map(
    ({ path, message }) => `result${path === '' ? '' : ` ${path}`}: ${message}`,
  );
  if (asked !== null) problems.push(...problemsOfDocument(asked, (value as { report?: unknown } | null)?.report));
  if (problems.length > 0) return { code: 'RESULT_INVALID', errors: problems };
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
  return turnResult.parse(whole);
}

/** What a result that may be no good otherwise says it has cost; nothing if it says nothing that can be understood. */
export function claimedCost(file: string): TurnCost {
  try {
    const found = lstatSync(file);
    if (!found.isFile() || found.size > mostBytes) return free;
    const claimed = (JSON.parse(readFileSync(file, 'utf8')) as { cost?: unknown } | null)?.cost;
    return problemsOf(costSchema, claimed).length === 0 ? costSchema.parse(claimed) : free;
  } catch {
    return free;
  }
}

/** What a core says it has spent. Throws an error for the core if that is no cost. */
export function checkedCost(cost: unknown): TurnCost {
  const problems = problemsOf(costSchema, cost);
  if (problems.length === 0) return costSchema.parse(cost);
  throw new TypeError(
    `what was spent is no cost: ${problems.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
  );
}

/** A result may leave out what it has nothing to say about, and a reviewer's status what its document decides. */
function filled(value: unknown, review: DocumentName | null): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { report } = value as { report?: TurnResult['report'] };
  const decision =
    review === null || typeof report !== 'object' || report === null ? undefined : decisionOf(review, report);
  return {
    status: decision === undefined ? 'completed' : (statuses[decision] ?? 'completed'),
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

/** Where what a reviewer says and the document that it hands in do not agree. */
export function verdictErrors({ status, report }: TurnResult, asked: DocumentName | null): string[] {
  const decision = asked === null ? undefined : decisionOf(asked, report ?? {});
  if (decision === undefined) return [];
  const errors: string[] = [];
  if (statuses[decision] !== status) errors.push(`the status is "${status}", but the report decides ${decision}`);
  if (decision === 'HOLD' && report?.['hold_reason'] === '')
    errors.push('the report decides HOLD without a hold_reason');
  const results = (report?.['criteria_results'] ?? report?.['findings'] ?? []) as { result: string }[];
  if (decision === 'SHIP' && results.some(({ result }) => result === 'FAIL')) {
    errors.push('the report decides SHIP, but something in it is FAIL');
  }
  return errors;
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
