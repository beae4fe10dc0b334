import * as z from 'zod/mini';

/** A text. */
export const text = z.string();
/** Fields of any names. */
export const fields = z.record(z.string(), z.unknown());

/** A member that must be callable; what it is called with stands on the interface. */
export function method<F extends (...args: never[]) => unknown>() {
  return z.custom<F>((value) => typeof value === 'function', 'must be a function');
}
