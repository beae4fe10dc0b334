import type { TurnEnd } from './workshop.ts';

/** How a program ended, of a turn that had none. */
export const unended: Pick<TurnEnd, 'exit_code' | 'signal' | 'timed_out'> = {
  exit_code: null,
  signal: null,
  timed_out: false,
};

/** A turn that came to nothing, and all that is to be said about it. */
export function failed(code: string, errors: readonly string[]): TurnEnd {
  return { ...unended, result: null, error: { code, message: errors.join('\n') } };
}
