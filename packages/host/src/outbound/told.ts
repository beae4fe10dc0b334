import type { Verdict } from 'patchbay-sdk';
import type { Outcome } from './outcome.ts';

/** Outcomes of handlers outside the process, by the verdict through which the kernel was told of them. */
const outcomes = new WeakMap<object, Outcome>();

/** Thrown into the kernel by a handler outside the process that failed. */
class HandlerFailure extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.message ?? 'failed without saying why');
    this.outcome = outcome;
  }
}

/** What the kernel is told of an outcome: a verdict, or, by throwing, that the handler failed. */
export function tell(outcome: Outcome): Verdict {
  if (outcome.status === 'failed') throw new HandlerFailure(outcome);
  const { verdict, message, annotations } = outcome;
  const told: Verdict = {
    verdict: verdict ?? 'ok',
    ...(message === null ? {} : { message }),
    ...(annotations === null ? {} : { annotations }),
  };
  outcomes.set(told, outcome);
  return told;
}

/** The outcome behind what the kernel was told, if the handler was outside the process. */
export function outcomeBehind(told: unknown): Outcome | undefined {
  if (told instanceof HandlerFailure) return told.outcome;
  return typeof told === 'object' && told !== null ? outcomes.get(told) : undefined;
}
