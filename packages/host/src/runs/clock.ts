/**
 * The time in a run, of which the last step was at `last`: clocks are put back, but no step is before the one before it, and
 * nothing takes less than no time.
 */
export function timeAfter(last: string | undefined, now = new Date()): Date {
  return last !== undefined && Date.parse(last) > now.getTime() ? new Date(last) : now;
}
