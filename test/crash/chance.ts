import * as fc from 'fast-check';

/** The seed of this run, printed so that it can be had again: `CRASH_SEED=… npm run test:long`. */
export const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Whole numbers from 0 up to, not with, `end`: the same for the same seed. `salt` tells series of one length apart. */
export function numbers(count: number, end: number, salt = 0): number[] {
  return fc.sample(fc.noBias(fc.nat({ max: end - 1 })), { seed: seed + salt, numRuns: count });
}
