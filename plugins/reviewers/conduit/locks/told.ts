import type { Concern } from '../../concern.ts';

/** Something wrong with a lock file; it holds unless it is a lesser concern. */
export function told(file: string, line: number, says: string, weight: Concern['weight'] = 'FAIL'): Concern {
  return { check: 'lock files', weight, file, line, says };
}

/** A manifest whose lock file is missing: what gets installed may be something else tomorrow. */
export function missing(file: string, lock = 'lock file'): Concern {
  return told(file, 1, `it has dependencies and no ${lock}`, 'ADVISORY');
}
